#include "policy/kept_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// One node of four CPUs on which a job runs for ten minutes; three wait for it.
class Planning {
 public:
  Planning() : past_(PolicyBuilder().policy()) {
    runs_ = past_.submit(Past::request("", ""));
    for (QueueEntry& entry : entries_) {
      entry.job = past_.submit(Past::request("", ""));
      entry.limit = minutes(10);
    }
    NodeShare share;
    share.cpus = 4;
    past_.apply(JobStarted{runs_, 1, PartitionId(0), Allocation(share)});
  }
  // A pass that plans all three, one after the other; the last is behind the window.
  void plan() {
    begin();
    const NodeId node(0);
    kept_.add(entries_[0], SpecId(1), end_of_run(), {&node, 1});
    kept_.add(entries_[1], SpecId(1), end_of_run() + minutes(10), {&node, 1});
    kept_.add_hopeless(entries_[2], SpecId(1), end_of_run() + minutes(20));
    kept_.end(past_.state());
  }
  bool begin(Duration window = minutes(15)) {
    return kept_.begin(past_.state(), past_.now(), past_.now() + window);
  }
  const KeptPlan::Step* next(int i) {
    return kept_.next(entries_[static_cast<std::size_t>(i)], SpecId(1));
  }
  // The first so many are said again, in their order.
  void expect_again(int count) {
    for (int i = 0; i < count; ++i) ASSERT_NE(next(i), nullptr) << "step " << i;
  }
  Instant end_of_run() const { return past_.state().expected_ends().front().at; }

  Past past_;
  JobId runs_;
  std::array<QueueEntry, 3> entries_;
  KeptPlan kept_;
};

TEST(KeptPlan, IsSaidAgainInTheSameOrder) {
  Planning planning;
  planning.plan();
  planning.past_.pass(minutes(2));
  ASSERT_TRUE(planning.begin());
  planning.expect_again(1);
  const KeptPlan::Step* second = planning.next(1);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->start, planning.end_of_run() + minutes(10));
  EXPECT_EQ(planning.kept_.nodes_of(*second).size(), 1U);
  ASSERT_NE(planning.next(2), nullptr);
}

TEST(KeptPlan, LeadsNoFurtherThanTheOrderIsTheSame) {
  Planning planning;
  planning.plan();
  ASSERT_TRUE(planning.begin());
  planning.expect_again(1);
  EXPECT_EQ(planning.next(2), nullptr);
  EXPECT_EQ(planning.next(1), nullptr);
}

TEST(KeptPlan, EndsWithWhoeverHeldNodes) {
  Planning planning;
  planning.plan();
  planning.past_.apply(JobEnded{planning.runs_, 1, {}});
  EXPECT_FALSE(planning.begin());
}

TEST(KeptPlan, EndsWhenSomebodyShouldHaveGone) {
  Planning planning;
  planning.plan();
  planning.past_.pass(planning.end_of_run() - planning.past_.now());
  EXPECT_FALSE(planning.begin());
}

TEST(KeptPlan, TellsNothingOfTimesThatComeIntoTheWindow) {
  Planning planning;
  planning.plan();
  ASSERT_TRUE(planning.begin(planning.end_of_run() + minutes(20) - planning.past_.now()));
  planning.expect_again(2);
  EXPECT_EQ(planning.next(2), nullptr);
}

}  // namespace
}  // namespace sluice
