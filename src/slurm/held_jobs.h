// Everybody's jobs as squeue shows them: which job holds what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/description.h"

namespace sluice {

// Arrays that wait stand in one row. Nothing that users choose freely (names, comments) is asked.
std::vector<std::string> queue_of_all_command();

struct HeldJobs {
  std::vector<HeldJob> jobs;
  std::size_t unreadable = 0;
  std::vector<std::string> missing;  // Fields that this squeue does not know.
};
// TRES that the registry does not know are left out.
HeldJobs parse_held_jobs(std::string_view text, const TresRegistry& registry);

}  // namespace sluice
