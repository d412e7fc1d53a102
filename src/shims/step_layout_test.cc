// As srun 22.05.8 dealt tasks out over two nodes of two CPUs.
#include "shims/step_layout.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using Tasks = std::vector<std::vector<std::uint32_t>>;

Tasks deal(std::int64_t tasks, std::vector<std::int64_t> cpus, TaskOrder order,
           std::int64_t per_task = 1) {
  std::vector<StepShare> shares;
  for (const std::int64_t each : cpus)
    shares.push_back({"c" + std::to_string(shares.size() + 1), each, 0, {}});
  Tasks out;
  for (const StepNode& node : lay_out_step(shares, tasks, per_task, order))
    out.push_back(node.tasks);
  return out;
}

TEST(StepLayout, BlocksFillANodeBeforeTheNext) {
  EXPECT_EQ(deal(4, {2, 2}, TaskOrder::kBlock), (Tasks{{0, 1}, {2, 3}}));
  EXPECT_EQ(deal(3, {2, 2}, TaskOrder::kBlock), (Tasks{{0, 1}, {2}}));
  EXPECT_EQ(deal(3, {4, 4}, TaskOrder::kBlock, 2), (Tasks{{0, 1}, {2}}));
}

TEST(StepLayout, EveryNodeHasATask) {
  EXPECT_EQ(deal(3, {8, 8, 8}, TaskOrder::kBlock), (Tasks{{0}, {1}, {2}}));
}

TEST(StepLayout, CyclicGoesRoundTheNodes) {
  EXPECT_EQ(deal(4, {2, 2}, TaskOrder::kCyclic), (Tasks{{0, 2}, {1, 3}}));
  EXPECT_EQ(deal(4, {1, 3}, TaskOrder::kCyclic), (Tasks{{0}, {1, 2, 3}}));
}

TEST(StepLayout, TasksBeyondTheCpusGoRound) {
  EXPECT_EQ(deal(6, {2, 2}, TaskOrder::kBlock), (Tasks{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(deal(5, {1, 1}, TaskOrder::kCyclic), (Tasks{{0, 2, 4}, {1, 3}}));
}

TEST(StepLayout, SrunChoosesByTheNumberOfNodes) {
  EXPECT_EQ(default_task_order(2, 2), TaskOrder::kCyclic);
  EXPECT_EQ(default_task_order(3, 2), TaskOrder::kBlock);
}

}  // namespace
}  // namespace sluice
