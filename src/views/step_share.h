// What a step holds of each of its nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct StepShare {
  std::string node;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::int64_t> gpus;  // Their numbers on the node.
  friend bool operator==(const StepShare&, const StepShare&) = default;
};

// "n1 2 100;n2 1 50 0,3", the form in which journals and replies have them: the node, its CPUs, its
// memory, and its GPUs where there are any.
std::string format_step_shares(const std::vector<StepShare>& shares);
std::vector<StepShare> parse_step_shares(std::string_view text);
// "n[1-2]"
std::string nodes_of_step(std::string_view shares);

}  // namespace sluice
