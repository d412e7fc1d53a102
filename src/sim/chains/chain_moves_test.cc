// Chains whose tasks are stuck in a full account, on a site that lets nobody change a job: they
// move by another job, with a crash at every call, and each runs once.
#include <gtest/gtest.h>

#include <utility>

#include "sim/chains/chain_for_tests.h"

namespace sluice {
namespace {

// Two tasks of lab at once; the other account has room.
Policy lab_is_narrow() {
  Policy policy = two_account_policy();
  policy.associations[1].group.jobs = 2;
  return policy;
}

JobSpec quick() {
  JobSpec spec;
  spec.name = "x";
  spec.account = "lab";
  spec.launch.environment = {{"BEHAVIOUR", "quick"}};
  return spec;
}

// Somebody looks every minute and moves once what waits for the account.
struct Stuck : ChainWorld {
  explicit Stuck(const std::string& array, Policy policy = lab_is_narrow(), JobSpec spec = quick(),
                 Fates fates = variable_job)
      : ChainWorld(std::move(policy), std::move(spec), seed_ladder(), array, std::move(fates)) {
    faulty.refuse_changes = true;
    look_every = minutes(1);
    to_move = [this](const Chain& chain) {
      std::vector<ChainMove> out = all_that_waits(chain);
      std::erase_if(out, [](const ChainMove& move) { return move.account == "lab"; });
      return out;
    };
  }
  // Submits it, and lets it wait.
  void begin() {
    const auto later = std::exchange(to_move, nullptr);
    step();
    pass(seconds(1));
    to_move = later;
  }
  void pass(Duration time) {
    cluster.pass_until(cluster.now() + time);
    take_launched();
  }
};

void expect_each_once(Stuck& world, std::size_t completed, std::size_t given_up) {
  const Chain& chain = world.store.kept;
  const Audit sum = audit(chain);
  EXPECT_TRUE(sum.problems.empty()) << sum.problems.front();
  EXPECT_EQ(sum.completed, completed);
  EXPECT_EQ(sum.given_up, given_up);
  EXPECT_EQ(chain.state, ChainState::kEnded);
  for (const Task& task : chain.tasks)
    EXPECT_EQ(world.launches(task.index), task.round) << "task " << task.index;
  // Nothing is left in the queue once the last handler has ended.
  world.pass(minutes(2));
  EXPECT_EQ(world.cluster.describe()->associations[0].submitted, 0);
}

TEST(ChainMoves, StuckTasksRunElsewhereAndNothingElseChanges) {
  Stuck world("0-9");
  world.begin();
  world.step();
  EXPECT_EQ(world.moved, 8U);
  ASSERT_EQ(world.store.kept.batches.size(), 2U);
  const Batch& moved = world.store.kept.batch(2);
  EXPECT_EQ(moved.state, BatchState::kReleased);
  EXPECT_EQ(moved.move->account, "other");
  EXPECT_EQ(moved.round, 1U);
  world.run();
  expect_each_once(world, 10, 0);
  EXPECT_EQ(world.rounds_of(1, JobState::kCompleted), 10U);
}

TEST(ChainMoves, WhatRunsOutAfterwardsStillClimbs) {
  JobSpec spec = quick();
  spec.launch.environment.clear();
  Stuck world("0-19", lab_is_narrow(), spec);
  world.run();
  EXPECT_GT(world.moved, 0U);
  expect_each_once(world, 20, 0);
  EXPECT_GT(world.rounds_of(2, JobState::kCompleted), 0U);
}

TEST(ChainMoves, AChainThatIsNoArray) {
  Policy policy = lab_is_narrow();
  policy.associations[1].group.jobs = 1;
  Stuck world("", std::move(policy));
  JobSpec other = quick();
  other.partitions = {"day"};
  other.time_limit = minutes(2);
  ASSERT_TRUE(world.cluster.submit({other, "another", false}));
  world.begin();
  world.step();
  EXPECT_EQ(world.moved, 1U);
  world.run();
  expect_each_once(world, 1, 0);
}

TEST(ChainMoves, BeyondMaxArraySizeEachTaskKeepsItsIndex) {
  Policy policy = lab_is_narrow();
  policy.jobs.max_array_size = 4;
  Stuck world("0-9", std::move(policy));
  world.run();
  EXPECT_GT(world.moved, 0U);
  expect_each_once(world, 10, 0);
}

TEST(ChainMoves, AnAnswerFromBeforeTheyWereHeldLeavesNobodyHeld) {
  for (int looks = 1; looks <= 3; ++looks) {
    Stuck world("0-9");
    world.begin();
    world.faulty.old_looks_after_hold = looks;
    world.step();
    world.run();
    EXPECT_GT(world.moved, 0U) << looks;
    expect_each_once(world, 10, 0);
  }
}

TEST(ChainMoves, NothingOfAChainThatWasCancelledMoves) {
  Stuck world("0-9");
  world.begin();
  world.store.kept.state = ChainState::kCancelled;
  const std::size_t batches = world.store.kept.batches.size();
  Chain chain = world.store.kept;
  Advance advance(chain, world.faulty, world.store, {});
  ASSERT_TRUE(advance.move(world.to_move(chain), world.cluster.now()));
  EXPECT_EQ(chain.batches.size(), batches);
}

TEST(ChainMoves, WhereTheOtherAccountTakesNoJobTheyStay) {
  Stuck world("0-9");
  world.to_move = [&world](const Chain& chain) {
    std::vector<ChainMove> out = world.all_that_waits(chain);
    for (ChainMove& move : out) move.account = "nowhere";
    return out;
  };
  world.begin();
  world.step();
  EXPECT_EQ(world.moved, 0U);
  EXPECT_EQ(world.store.kept.batch(2).state, BatchState::kWithdrawn);
  world.to_move = nullptr;
  world.run();
  expect_each_once(world, 10, 0);
}

TEST(ChainMoves, CancellingInTheMiddleEndsBothJobs) {
  // At every call of the move.
  for (int n = 1;; ++n) {
    Stuck world("0-9");
    world.begin();
    int left = n;
    bool died = false;
    const auto tick = [&] {
      if (!died && --left == 0) {
        died = true;
        throw Crash{};
      }
    };
    world.faulty.after = world.store.after_commit = tick;
    world.step();
    world.faulty.after = world.store.after_commit = nullptr;
    for (int i = 0; i < 3; ++i) {
      Chain chain = world.store.kept;
      Advance advance(chain, world.cluster, world.store);
      ASSERT_TRUE(advance.cancel(world.cluster.now()));
      world.pass(minutes(1));
    }
    EXPECT_EQ(world.store.kept.state, ChainState::kEnded);
    EXPECT_EQ(world.cluster.describe()->associations[0].submitted, 0);
    for (const Task& task : world.store.kept.tasks) EXPECT_LE(world.launches(task.index), 1U);
    ASSERT_FALSE(HasFailure()) << "crash after call " << n;
    if (!died) break;
  }
}

// Dies before or after the n-th thing it does, for every n until nothing is left to die at.
TEST(ChainMoves, ACrashAtAnyPointLosesNothingAndDoublesNothing) {
  std::size_t points = 0;
  for (const bool before : {true, false})
    for (int n = 1;; ++n) {
      Stuck world("0-5");
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
      world.run();
      ++points;
      expect_each_once(world, 6, 0);
      ASSERT_FALSE(HasFailure()) << "crash " << (before ? "before" : "after") << " point " << n;
      if (!died) {
        EXPECT_GT(world.moved, 0U);
        break;
      }
    }
  EXPECT_GT(points, 60U);
}

TEST(ChainMoves, TasksThatStartMeanwhileKeepRunning) {
  // The account gets room after the n-th call of the move.
  std::size_t stayed = 0;
  for (int n = 1; n < 40; ++n) {
    Stuck world("0-5");
    world.begin();
    int left = n;
    world.faulty.after = [&] {
      if (--left == 0) world.cluster.pass_until(world.cluster.now() + seconds(5));
    };
    world.step();
    world.faulty.after = nullptr;
    world.take_launched();
    if (world.moved < 4) ++stayed;
    world.run();
    expect_each_once(world, 6, 0);
    ASSERT_FALSE(HasFailure()) << "after call " << n;
  }
  EXPECT_GT(stayed, 0U);
}

TEST(ChainMoves, SubmissionsWithoutAnAnswerAreFoundOrForgotten) {
  for (const int kind : {1, 2}) {
    Stuck world("0-5");
    world.begin();
    world.faulty.lose_answer = [kind] { return kind; };
    world.step();
    world.faulty.lose_answer = nullptr;
    EXPECT_EQ(world.moved, kind == 1 ? 4U : 0U);
    world.run();
    expect_each_once(world, 6, 0);
    ASSERT_FALSE(HasFailure()) << "kind " << kind;
  }
}

}  // namespace
}  // namespace sluice
