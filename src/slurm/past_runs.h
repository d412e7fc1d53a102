// What sacct tells of one's own tasks of a name that completed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/past_run.h"

namespace sluice {

std::vector<std::string> past_runs_command(const std::string& name, Instant since);
// Rows that cannot be read are left out.
std::vector<PastRun> parse_past_runs(std::string_view text);

}  // namespace sluice
