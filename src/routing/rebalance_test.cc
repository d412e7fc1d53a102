// Who moves when a pool fills up after the submission.
#include "routing/rebalance.h"

#include <gtest/gtest.h>

#include "routing/two_accounts_for_tests.h"

namespace sluice {
namespace {

constexpr std::int64_t kGb = 1024;

WaitingTasks stuck(std::uint32_t last, const std::string& reason = "QOSGrpMemLimit") {
  WaitingTasks out;
  out.job = {JobId(7), instant_at(seconds(0))};
  out.tasks.emplace();
  out.tasks->insert_range(0, last);
  out.account = out.qos = "clive";
  out.partitions = {"hpg-b200"};
  out.reason = reason;
  out.need.cpus = 8;
  out.need.memory_mb = 125 * kGb;
  out.need.gpus = 1;
  out.need.partitions = {"hpg-b200"};
  return out;
}

TwoAccounts filled() {
  TwoAccounts out;
  out.add("clive", 40, 320000, 1);
  out.add("maigan", 80, 640000, 2);
  out.hold("drew", "clive", 4, 262144, 0);
  return out;
}

TEST(Rebalance, AsManyAsFitMoveAndTheRestStays) {
  TwoAccounts cluster = filled();
  const std::vector<WaitingTasks> waiting = {stuck(3)};
  const Rebalance plan =
      plan_rebalance(cluster.seen(), seed_settings(), waiting, instant_at(minutes(20)));
  ASSERT_EQ(plan.moves.size(), 1U);
  EXPECT_EQ(plan.moves[0].account, "maigan");
  EXPECT_EQ(plan.moves[0].tasks->to_vector(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(plan.verdicts[0], Stay::kMoves);
}

TEST(Rebalance, TwoGroupsDoNotGetTheSameSlot) {
  TwoAccounts cluster = filled();
  const std::vector<WaitingTasks> waiting = {stuck(0), stuck(0), stuck(0)};
  const Rebalance plan =
      plan_rebalance(cluster.seen(), seed_settings(), waiting, instant_at(minutes(20)));
  EXPECT_EQ(plan.moves.size(), 2U);
  EXPECT_EQ(plan.verdicts[2], Stay::kNowhere);
}

TEST(Rebalance, NobodyMovesTooEarlyOrForOtherReasons) {
  TwoAccounts cluster = filled();
  const std::vector<WaitingTasks> waiting = {stuck(3), stuck(3, "Dependency"),
                                             stuck(3, "Priority")};
  const Rebalance plan =
      plan_rebalance(cluster.seen(), seed_settings(), waiting, instant_at(minutes(5)));
  EXPECT_TRUE(plan.moves.empty());
  EXPECT_EQ(plan.verdicts,
            (std::vector<Stay>{Stay::kNotYet, Stay::kOtherReason, Stay::kOtherReason}));
}

TEST(Rebalance, WhereThereIsRoomAgainNobodyMoves) {
  TwoAccounts cluster;
  cluster.add("clive", 40, 320000, 1);
  cluster.add("maigan", 80, 640000, 2);
  const std::vector<WaitingTasks> waiting = {stuck(0)};
  const Rebalance plan =
      plan_rebalance(cluster.seen(), seed_settings(), waiting, instant_at(minutes(20)));
  EXPECT_TRUE(plan.moves.empty());
  EXPECT_EQ(plan.verdicts[0], Stay::kHasRoom);
}

}  // namespace
}  // namespace sluice
