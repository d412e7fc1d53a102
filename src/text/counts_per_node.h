// Counts of the nodes of a job as SLURM_TASKS_PER_NODE and its like write them: "4(x2),8".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

std::string counts_per_node(const std::vector<std::int32_t>& counts);
// One for each node; what is not a count is 0.
std::vector<std::int32_t> parse_counts_per_node(std::string_view text);

}  // namespace sluice
