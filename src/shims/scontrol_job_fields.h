// Every field of a job that scontrol update knows, and what it does here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/job_change.h"
#include "shims/scontrol_update_job.h"
#include "shims/shim.h"

namespace sluice {

// What the words change about one job. Nothing where one was refused, which the call was told.
std::optional<JobChange> read_change(ShimCall& call, const std::string& job,
                                     const std::vector<UpdateWord>& words);

}  // namespace sluice
