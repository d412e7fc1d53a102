// Jobs of an accounting log, or of a journal, as a workload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/logged_job.h"
#include "sim/workloads/workload.h"

namespace sluice {

// Jobs that never started, or had not ended, are left out and counted.
Workload workload_of_log(const std::vector<LoggedRecord>& log, std::string name);

// What sluice's own journal tells (`sim --journal`, and the daemon's): every job that was submitted
// and ran to an end. Its requests, users, accounts, QoS and partitions are those of the journal.
Result<Workload> workload_of_journal(std::string_view bytes, std::string name);

}  // namespace sluice
