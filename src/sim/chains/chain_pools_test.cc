// Chains over several pools, in virtual time: every round goes to where there is room then.
#include <gtest/gtest.h>

#include <map>

#include "escalation/spread.h"
#include "sim/chains/chain_for_tests.h"

namespace sluice {
namespace {

// Each of two accounts runs so many tasks at once.
Policy narrow(std::int64_t lab, std::int64_t other) {
  Policy policy = two_account_policy();
  policy.associations[1].group.jobs = lab;
  policy.associations[3].group.jobs = other;
  return policy;
}

JobSpec job(const std::string& behaviour = {}) {
  JobSpec spec;
  spec.name = "x";
  spec.partitions = {"day", "week", "pi_jetz"};
  if (!behaviour.empty()) spec.launch.environment = {{"BEHAVIOUR", behaviour}};
  return spec;
}

// One process a step, as ChainWorld's, with pools.
struct Pools : ChainWorld {
  Pools(Policy policy, JobSpec spec, const std::string& array)
      : ChainWorld(std::move(policy), std::move(spec), seed_ladder(), array) {
    store.kept.terms.spread = true;
    attended = false;
  }

  bool look() {
    Chain chain = store.kept;
    const RoutingSettings settings;
    Advance advance(
        chain, faulty, store, {}, {},
        [&](const Chain& it, const IndexSet& tasks,
            const Request& asked) -> Result<std::vector<Share>> {
          TRY(const Description seen, faulty.describe());
          return spread_over(it, tasks, asked, pools_for(it, asked, seen, settings)).shares;
        });
    try {
      const auto progress = advance.step(cluster.now());
      return progress && progress->ended;
    } catch (const Crash&) {
      return false;
    }
  }

  void run_to_end() {
    for (int i = 0; i < 2000 && !look(); ++i) {
      cluster.pass_until(cluster.now() + minutes(1));
      take_launched();
    }
    EXPECT_EQ(store.kept.state, ChainState::kEnded);
    for (const Task& task : store.kept.tasks)
      EXPECT_EQ(launches(task.index), task.round) << "task " << task.index;
    const Audit sum = audit(store.kept);
    EXPECT_TRUE(sum.problems.empty()) << sum.problems.front();
    EXPECT_EQ(sum.completed, sum.tasks);
  }

  std::map<std::string, std::size_t> tasks_by_pool(std::uint32_t round) const {
    std::map<std::string, std::size_t> out;
    for (const Batch& batch : store.kept.batches)
      if (batch.round == round && batch.placement) out[batch.placement->pool] += batch.tasks.size();
    return out;
  }
};

using ByPool = std::map<std::string, std::size_t>;

TEST(ChainPools, TheFirstRoundFillsEveryPoolWithRoom) {
  Pools world(narrow(6, 2), job("quick"), "0-7");
  world.look();
  EXPECT_EQ(world.tasks_by_pool(1), (ByPool{{"lab/cpu", 6}, {"other/cpu", 2}}));
  world.run_to_end();
}

TEST(ChainPools, TasksThatAreKeptBackFollowAsPoolsFreeUp) {
  Pools world(narrow(3, 1), job("quick"), "0-19");
  world.store.kept.terms.keep_back = true;
  world.look();
  EXPECT_EQ(world.tasks_by_pool(1), (ByPool{{"lab/cpu", 3}, {"other/cpu", 1}}));
  // Before they start nothing more is handed in: the room is taken.
  world.look();
  EXPECT_EQ(world.tasks_by_pool(1), (ByPool{{"lab/cpu", 3}, {"other/cpu", 1}}));
  world.run_to_end();
  EXPECT_GE(world.store.kept.batches.size(), 10U);
}

TEST(ChainPools, WhatRunsOutClimbsInWhicheverPoolHasRoomThen) {
  Pools world(narrow(10, 10), job(), "0-19");
  world.run_to_end();
  EXPECT_EQ(world.tasks_by_pool(1), (ByPool{{"lab/cpu", 10}, {"other/cpu", 10}}));
  EXPECT_EQ(world.tasks_by_pool(2).size(), 2U);
  std::size_t second = 0;
  for (const auto& [pool, tasks] : world.tasks_by_pool(2)) second += tasks;
  EXPECT_EQ(second, 10U);
}

TEST(ChainPools, OnlyTheNamedAccounts) {
  Pools world(narrow(6, 2), job("quick"), "0-7");
  world.store.kept.terms.accounts = {"other"};
  world.look();
  EXPECT_EQ(world.tasks_by_pool(1), (ByPool{{"other/cpu", 8}}));
  world.run_to_end();
}

TEST(ChainPools, ACrashAtAnyPointLosesNothingAndDoublesNothing) {
  for (const bool before : {true, false})
    for (int n = 1;; ++n) {
      Pools world(narrow(3, 2), job(), "0-9");
      world.store.kept.terms.keep_back = true;
      int left = n;
      bool died = false;
      const auto tick = [&] {
        if (!died && --left == 0) {
          died = true;
          throw Crash{};
        }
      };
      (before ? world.faulty.before : world.faulty.after) = tick;
      (before ? world.store.before_commit : world.store.after_commit) = tick;
      world.run_to_end();
      ASSERT_FALSE(HasFailure()) << "crash " << (before ? "before" : "after") << " point " << n;
      if (!died) break;
    }
}

TEST(ChainStop, WhatRunsFinishesAndNothingClimbs) {
  Pools world(narrow(20, 20), job(), "0-19");
  world.look();
  world.store.kept.terms.stopped = true;
  for (int i = 0; i < 30; ++i) {
    world.cluster.pass_until(world.cluster.now() + minutes(1));
    world.take_launched();
    EXPECT_FALSE(world.look());
  }
  const Audit sum = audit(world.store.kept);
  EXPECT_EQ(sum.completed, 10U);
  EXPECT_EQ(sum.unsubmitted, 10U);
  for (const Batch& batch : world.store.kept.batches) EXPECT_EQ(batch.round, 1U);
  world.store.kept.terms.stopped = false;
  world.run_to_end();
}

TEST(ChainStop, AtALevelOnlyWhatNeedsMoreWaits) {
  Pools world(narrow(20, 20), job(), "0-19");
  world.store.kept.terms.last_level = 2;
  for (int i = 0; i < 60; ++i) {
    EXPECT_FALSE(world.look());
    world.cluster.pass_until(world.cluster.now() + minutes(1));
    world.take_launched();
  }
  const Audit sum = audit(world.store.kept);
  EXPECT_EQ(sum.completed, 16U);
  EXPECT_EQ(sum.unsubmitted, 4U);
}

}  // namespace
}  // namespace sluice
