#include "shims/step_layout.h"

#include <algorithm>

namespace sluice {
namespace {

std::vector<std::int64_t> block_counts(const std::vector<StepShare>& shares, std::int64_t tasks,
                                       std::int64_t cpus_per_task) {
  std::vector<std::int64_t> counts(shares.size(), 0);
  std::int64_t left = tasks;
  const auto give = [&](std::size_t node, std::int64_t more) {
    const std::int64_t given = std::clamp<std::int64_t>(more, 0, left);
    counts[node] += given;
    left -= given;
  };
  for (std::size_t i = 0; i < shares.size(); ++i) give(i, 1);
  for (std::size_t i = 0; i < shares.size(); ++i)
    give(i, shares[i].cpus / cpus_per_task - counts[i]);
  while (left > 0)
    for (std::size_t i = 0; i < shares.size(); ++i) give(i, 1);
  return counts;
}

}  // namespace

TaskOrder default_task_order(std::int64_t tasks, std::size_t nodes) {
  return tasks <= static_cast<std::int64_t>(nodes) ? TaskOrder::kCyclic : TaskOrder::kBlock;
}

std::vector<StepNode> lay_out_step(const std::vector<StepShare>& shares, std::int64_t tasks,
                                   std::int64_t cpus_per_task, TaskOrder order) {
  std::vector<StepNode> out;
  for (const StepShare& share : shares) out.push_back({share.node, share.cpus, share.gpus, {}});
  if (out.empty()) return out;
  const std::int64_t each = std::max<std::int64_t>(1, cpus_per_task);
  if (order == TaskOrder::kBlock) {
    const auto counts = block_counts(shares, tasks, each);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::int64_t k = 0; k < counts[i]; ++k) out[i].tasks.push_back(next++);
    return out;
  }
  // Round after round, past nodes that are full; where all are, they take more than they hold.
  bool over = false;
  std::uint32_t next = 0;
  while (next < tasks) {
    const std::uint32_t before = next;
    for (StepNode& node : out) {
      const auto has = static_cast<std::int64_t>(node.tasks.size());
      if (next < tasks && (over || has == 0 || (has + 1) * each <= node.cpus))
        node.tasks.push_back(next++);
    }
    over = over || next == before;
  }
  return out;
}

}  // namespace sluice
