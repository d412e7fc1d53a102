// The seed's scenarios in virtual time, counted, and what happens when processes die.
#include <gtest/gtest.h>

#include "sim/chains/chain_for_tests.h"

namespace sluice {
namespace {

JobSpec job(std::vector<EnvironmentVariable> environment = {}) {
  JobSpec spec;
  spec.name = "variable";
  spec.launch.environment = std::move(environment);
  return spec;
}

struct Count {
  std::uint32_t round;
  JobState state;
  std::size_t tasks;
};

void expect_rounds(const ChainWorld& world, const std::vector<Count>& counts) {
  std::size_t total = 0;
  for (const Count& one : counts) {
    EXPECT_EQ(world.rounds_of(one.round, one.state), one.tasks)
        << "round " << one.round << " " << slurm_name(one.state);
    total += one.tasks;
  }
  EXPECT_EQ(world.store.ended.size(), total);
}

void expect_sound(const ChainWorld& world, std::size_t completed, std::size_t given_up) {
  const Audit sum = audit(world.store.kept);
  EXPECT_TRUE(sum.problems.empty()) << sum.problems.front();
  EXPECT_EQ(world.store.kept.state, ChainState::kEnded);
  EXPECT_EQ(sum.completed, completed);
  EXPECT_EQ(sum.given_up, given_up);
  EXPECT_EQ(sum.completed + sum.given_up, sum.tasks);
  for (const Task& task : world.store.kept.tasks)
    EXPECT_EQ(world.launches(task.index), task.round) << "task " << task.index;
}

using enum JobState;

TEST(ChainScenario, LevelsUsesAllFour) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-19");
  world.run();
  expect_sound(world, 20, 0);
  expect_rounds(world, {{1, kCompleted, 10},
                        {1, kTimeout, 8},
                        {1, kOutOfMemory, 2},
                        {2, kCompleted, 6},
                        {2, kTimeout, 4},
                        {3, kCompleted, 2},
                        {3, kTimeout, 2},
                        {4, kCompleted, 2}});
  EXPECT_LE(world.resumes, 1U);  // Nobody was needed but to look at the end.
}

TEST(ChainScenario, QuickNeedsNoSecondRound) {
  ChainWorld world(seed_policy(), job({{"BEHAVIOUR", "quick"}}), seed_ladder(), "0-99");
  world.run();
  expect_sound(world, 100, 0);
  expect_rounds(world, {{1, kCompleted, 100}});
  // The handler was for failures; it went when there could be none.
  EXPECT_EQ(world.handlers_run, 0U);
}

TEST(ChainScenario, TimeoutClimbsByTimeAlone) {
  ChainWorld world(seed_policy(), job({{"BEHAVIOUR", "medium"}}), seed_ladder(), "0-99");
  world.run();
  expect_sound(world, 100, 0);
  expect_rounds(world, {{1, kTimeout, 100}, {2, kCompleted, 100}});
  EXPECT_EQ(world.store.kept.batches.back().request.memory->mb, 1024);
  EXPECT_EQ(world.store.kept.batches.back().request.time, minutes(2));
}

TEST(ChainScenario, OutOfMemoryClimbsByMemoryAlone) {
  ChainWorld world(seed_policy(), job({{"BEHAVIOUR", "memory"}}), seed_ladder(), "0-99");
  world.run();
  expect_sound(world, 100, 0);
  expect_rounds(world, {{1, kOutOfMemory, 100}, {2, kCompleted, 100}});
  EXPECT_EQ(world.store.kept.batches.back().request.memory->mb, 2048);
  EXPECT_EQ(world.store.kept.batches.back().request.time, minutes(1));
}

std::vector<Count> counts_of_mix(std::size_t tenth) {
  return {{1, kCompleted, 5 * tenth}, {1, kTimeout, 4 * tenth}, {1, kOutOfMemory, tenth},
          {2, kCompleted, 3 * tenth}, {2, kTimeout, 2 * tenth}, {3, kCompleted, tenth},
          {3, kTimeout, tenth},       {4, kCompleted, tenth}};
}

TEST(ChainScenario, MixedGetsAThousandThrough) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-999");
  world.run();
  expect_sound(world, 1000, 0);
  expect_rounds(world, counts_of_mix(100));
}

TEST(ChainScenario, MixedFailDoesNotRetryCodeErrors) {
  ChainWorld world(seed_policy(), job({{"FAIL_TASKS", "10:11:12"}}), seed_ladder(), "0-29");
  world.run();
  expect_sound(world, 27, 3);
  expect_rounds(world, {{1, kCompleted, 12},
                        {1, kFailed, 3},
                        {1, kTimeout, 12},
                        {1, kOutOfMemory, 3},
                        {2, kCompleted, 9},
                        {2, kTimeout, 6},
                        {3, kCompleted, 3},
                        {3, kTimeout, 3},
                        {4, kCompleted, 3}});
  for (const std::uint32_t index : {10U, 11U, 12U})
    EXPECT_EQ(world.store.kept.task(index).given_up, GivenUp::kNotRetried);
}

TEST(ChainScenario, LargeHasFiveThousand) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-4999");
  world.run();
  expect_sound(world, 5000, 0);
  expect_rounds(world, counts_of_mix(500));
  // Each round is one array, the second two: one for memory, one for time.
  EXPECT_EQ(world.store.kept.batches.size(), 5U);
}

TEST(ChainScenario, MaxGoesBeyondMaxArraySize) {
  Policy policy = seed_policy();
  policy.jobs.max_array_size = 1001;
  ChainWorld world(std::move(policy), job(), seed_ladder(), "0-9999");
  world.run();
  expect_sound(world, 10'000, 0);
  expect_rounds(world, counts_of_mix(1000));
  for (const Batch& batch : world.store.kept.batches)
    EXPECT_LT(*batch.tasks.last() - batch.offset, 1001U);
}

TEST(ChainScenario, FailModCountsZeroToo) {
  ChainWorld world(seed_policy(), job({{"FAIL_MOD", "17"}, {"BEHAVIOUR", "quick"}}), seed_ladder(),
                   "0-9999");
  world.run();
  expect_sound(world, 10'000 - 589, 589);
  expect_rounds(world, {{1, kCompleted, 10'000 - 589}, {1, kFailed, 589}});
}

TEST(ChainScenario, WholeLevelsMoveTogether) {
  Ladder ladder = seed_ladder();
  ladder.climb = Climb::kWholeLevel;
  ChainWorld world(seed_policy(), job(), ladder, "0-19");
  world.run();
  expect_sound(world, 20, 0);
  for (const Batch& batch : world.store.kept.batches) EXPECT_EQ(batch.rung.memory, batch.rung.time);
  EXPECT_EQ(world.store.kept.batches.size(), 4U);  // One a level.
}

TEST(ChainScenario, AtTheTopATaskIsGivenUp) {
  Ladder ladder = seed_ladder();
  ladder.max_level = 2;
  ChainWorld world(seed_policy(), job(), ladder, "0-19");
  world.run();
  expect_sound(world, 16, 4);
  for (const std::uint32_t index : {7U, 9U, 17U, 19U})
    EXPECT_EQ(world.store.kept.task(index).given_up, GivenUp::kTop);
}

TEST(ChainScenario, MoreTasksThanMayBeSubmittedGoInWaves) {
  Policy policy = seed_policy();
  policy.associations[2].max_submit_jobs = 150;
  ChainWorld world(std::move(policy), job(), seed_ladder(), "0-999");
  world.run();
  expect_sound(world, 1000, 0);
  expect_rounds(world, counts_of_mix(100));
  EXPECT_LE(world.resumes, 1U);
}

TEST(ChainScenario, ALostNodeCostsNoLevel) {
  ChainWorld world(seed_policy(), job({{"BEHAVIOUR", "quick"}}), seed_ladder(), "0-9");
  world.step();
  world.cluster.pass_until(world.cluster.now() + seconds(2));
  for (int i = 1; i <= 10; ++i) world.cluster.change_node(fmt::format("d{}", i), NodeState::kDown);
  world.run();
  const Audit sum = audit(world.store.kept);
  EXPECT_EQ(sum.completed, 10U);
  for (const Task& task : world.store.kept.tasks) EXPECT_EQ(task.rung, Rung{});
}

TEST(ChainScenario, AThrottleIsSharedByTheArraysOfAChain) {
  Policy policy = seed_policy();
  policy.jobs.max_array_size = 11;
  ChainWorld world(std::move(policy), job({{"BEHAVIOUR", "quick"}}), seed_ladder(), "0-29%7");
  world.run();
  expect_sound(world, 30, 0);
  std::uint32_t sum = 0;
  for (const Batch& batch : world.store.kept.batches) sum += batch.throttle.value();
  EXPECT_EQ(sum, 7U);
}

TEST(ChainScenario, WithoutAnArrayThereIsOneTask) {
  ChainWorld world(seed_policy(), job({{"BEHAVIOUR", "slow"}}), seed_ladder(), "");
  world.run();
  expect_sound(world, 1, 0);
  expect_rounds(world, {{1, kTimeout, 1}, {2, kTimeout, 1}, {3, kCompleted, 1}});
}

// One node that holds fifteen tasks of the first level at once.
Policy one_node() {
  Policy policy = seed_policy();
  policy.nodes.resize(1);
  policy.nodes[0].cpus = 64;
  policy.nodes[0].memory_mb = 16 * 1024;
  policy.partitions.resize(1);
  policy.partitions[0].name = "day";  // Where handlers run.
  policy.partitions[0].nodes.resize(1);
  policy.partitions[0].is_default = true;
  policy.partitions[0].max_time = std::chrono::hours(24);
  // So that being nice counts: whoever learns gets in before the rest of the array.
  policy.priority.type = PriorityType::kMultifactor;
  policy.priority.weight_age = 1000;
  return policy;
}

Ladder two_levels() {
  Ladder ladder;
  ladder.levels.push_back({{"day"}, MemoryRequest{MemoryPer::kNode, 1024}, minutes(60), ""});
  ladder.levels.push_back({{"day"}, MemoryRequest{MemoryPer::kNode, 4096}, minutes(240), ""});
  return ladder;
}

Fate needs(std::int64_t mb, Duration time, const JobSpec& spec) {
  Fate fate;
  fate.run = time;
  fate.outcome.max_rss_kb = mb * 1024;
  if (spec.memory && spec.memory->mb < mb)
    fate.outcome = {.state = JobState::kOutOfMemory, .max_rss_kb = spec.memory->mb * 1024};
  return fate;
}

std::int64_t held(const ChainWorld& world) {
  std::int64_t sum = 0;
  for (const TaskRun& run : world.store.ended)
    sum += world.store.kept.batch(run.batch).request.memory->mb * to_seconds(*run.end - *run.start);
  return sum;
}

std::int64_t last_end(const ChainWorld& world) {
  Instant last;
  for (const TaskRun& run : world.store.ended) last = std::max(last, *run.end);
  return to_seconds(last.time_since_epoch());
}

TEST(ChainLearning, TasksThatWaitAreLoweredInPlaceAndAllIsOverSooner) {
  const auto fates = [](const JobSpec& spec, std::uint32_t) {
    return needs(100, minutes(10), spec);
  };
  ChainWorld plain(one_node(), job(), two_levels(), "0-999", fates);
  plain.run();
  ChainWorld world(one_node(), job(), two_levels(), "0-999", fates);
  world.learn();
  world.run();
  expect_sound(world, 1000, 0);
  EXPECT_EQ(world.store.kept.sizing->memory_mb, 120);
  // One array, the tasks that waited in a part of their own; nothing ran twice.
  EXPECT_EQ(world.store.ended.size(), 1000U);
  EXPECT_EQ(world.store.kept.batches.front().job, world.store.kept.batches.back().job);
  EXPECT_LT(held(world), held(plain) / 2);
  EXPECT_LT(last_end(world), last_end(plain) / 2);
}

TEST(ChainLearning, TasksThatWaitAreRaisedWhereTheFirstAllRanOut) {
  const auto fates = [](const JobSpec& spec, std::uint32_t) {
    return needs(1500, minutes(10), spec);
  };
  ChainWorld world(one_node(), job(), two_levels(), "0-299", fates);
  world.learn();
  world.run();
  expect_sound(world, 300, 0);
  std::size_t lost = 0;
  for (const TaskRun& run : world.store.ended) lost += run.state != kCompleted;
  // Without it all three hundred would have been lost once.
  EXPECT_LT(lost, 150U);
}

TEST(ChainLearning, WhoNeedsMoreThanTheFirstComesBackAndIsLearntFrom) {
  const auto fates = [](const JobSpec& spec, std::uint32_t index) {
    return needs(index % 10 == 9 ? 900 : 100, minutes(10), spec);
  };
  ChainWorld world(one_node(), job(), two_levels(), "0-499", fates);
  world.learn();
  world.run();
  expect_sound(world, 500, 0);
  for (const TaskRun& run : world.store.ended)
    EXPECT_TRUE(run.state == kCompleted || run.index % 10 == 9) << run.index;
  for (const Task& task : world.store.kept.tasks) EXPECT_LE(task.round, 2U);
}

TEST(ChainLearning, TheSeedsScenarioStillComesThrough) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-999");
  world.learn();
  world.run();
  expect_sound(world, 1000, 0);
}

TEST(ChainHandlers, CancelledOnesAreReplacedByResume) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-19");
  world.lose_handlers = true;
  world.run();
  expect_sound(world, 20, 0);
  EXPECT_GT(world.resumes, 0U);
}

TEST(ChainHandlers, RunningTwiceDoesNoHarm) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-19");
  for (int i = 0; i < 3; ++i) world.step();
  world.run();
  expect_sound(world, 20, 0);
}

TEST(ChainCancel, EndsEverythingTheChainStarted) {
  ChainWorld world(seed_policy(), job(), seed_ladder(), "0-999");
  world.step();
  world.cluster.pass_until(world.cluster.now() + seconds(30));
  Chain chain = world.store.kept;
  Advance advance(chain, world.cluster, world.store);
  ASSERT_TRUE(advance.cancel(world.cluster.now()));
  world.cluster.pass_until(world.cluster.now() + seconds(60));
  ASSERT_TRUE(advance.cancel(world.cluster.now()));
  const Audit sum = audit(world.store.kept);
  EXPECT_EQ(sum.completed + sum.given_up, 1000U);
  EXPECT_EQ(world.store.kept.state, ChainState::kEnded);
  EXPECT_EQ(world.cluster.describe()->associations[2].submitted, 0);
}

// Dies before or after the n-th thing it does, for every n until nothing is left to die at.
TEST(ChainCrash, AtEveryPointNothingIsLostAndNothingRunsTwice) {
  std::size_t points = 0;
  for (const bool before : {true, false})
    for (int n = 1;; ++n) {
      ChainWorld world(seed_policy(), job({{"FAIL_TASKS", "3"}}), seed_ladder(), "0-19");
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
      expect_sound(world, 19, 1);
      ASSERT_FALSE(HasFailure()) << "crash " << (before ? "before" : "after") << " point " << n;
      if (!died) break;
    }
  EXPECT_GT(points, 60U);
}

// R2: the answer is lost although the job is there, or the request is lost on its way.
TEST(ChainCrash, SubmissionsWithoutAnAnswerAreFoundOrMadeAgain) {
  for (const int kind : {1, 2, 3}) {
    ChainWorld world(seed_policy(), job(), seed_ladder(), "0-19");
    int calls = 0;
    world.faulty.lose_answer = [&] {
      ++calls;
      return kind < 3 ? (calls % 2 == 1 ? kind : 0) : calls % 3;
    };
    world.run();
    expect_sound(world, 20, 0);
    ASSERT_FALSE(HasFailure()) << "kind " << kind;
  }
}

}  // namespace
}  // namespace sluice
