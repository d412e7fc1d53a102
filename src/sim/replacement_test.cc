// Jobs that move by another job in their place, with a crash at every call: each task runs once.
#include "routing/replacement.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "sim/chain_for_tests.h"

namespace sluice {
namespace {

// One account that is full and one that is not, on a site that lets nobody change a job.
Policy one_is_full() {
  Policy policy = two_account_policy();
  policy.associations[1].group.jobs = 1;  // lab
  return policy;
}

class MemoryNotes final : public ReplacementStore {
 public:
  Result<void> write(const Replacement& replacement) override {
    if (before) before();
    kept = replacement;
    if (after) after();
    return {};
  }
  void end(const Replacement&) override {
    if (before) before();
    kept.reset();
    if (after) after();
  }
  std::optional<Replacement> kept;
  std::function<void()> before;
  std::function<void()> after;
};

struct World {
  SimulatedCluster real;
  FaultyCluster faulty;
  MemoryNotes notes;
  RemoteJob old;
  std::map<std::uint32_t, int> runs;

  static JobSpec spec(const std::string& account, const std::string& array) {
    JobSpec out;
    out.name = "task";
    out.account = account;
    out.partitions = {"day"};
    out.cpus_per_task = 1;
    out.memory = MemoryRequest{MemoryPer::kNode, 10};
    out.time_limit = minutes(2);
    if (!array.empty()) out.array = *parse_array_spec(array);
    return out;
  }

  explicit World(std::string tasks)
      : real(std::make_shared<const Policy>(one_is_full()), "ann",
             [](const JobSpec&, std::optional<std::uint32_t>) {
               return Fate{seconds(60), {}};
             }),
        faulty(real),
        array(std::move(tasks)) {
    old = std::get<Accepted>(*real.submit({spec("lab", array), "old", false})).job;
    pass(seconds(5));
  }

  void pass(Duration time) {
    real.pass_until(real.now() + time);
    for (const auto& launched : real.take_launched()) ++runs[launched.task.value_or(0)];
  }

  // Every task of the array that waits now.
  Replacement intent() {
    Replacement out;
    out.key = "new";
    out.old = old;
    out.pool = "other/cpu";
    out.intended = real.now();
    if (array.empty()) return out;
    out.tasks.emplace();
    const auto waiting = *real.waiting();
    for (const WaitingTasks& group : waiting) out.tasks = group.tasks;
    return out;
  }

  Result<Replaced> move(const Replacement& replacement) {
    JobSpec copy = spec("other", {});
    if (replacement.tasks) copy.array = ArraySpec{*replacement.tasks, {}};
    return replace(faulty, notes, replacement, copy);
  }

  void calm() {
    faulty.before = faulty.after = nullptr;
    faulty.lose_answer = nullptr;
    notes.before = notes.after = nullptr;
  }

  // The next `sluice rebalance`, until nothing is left to finish.
  void finish() {
    calm();
    for (int i = 0; i < 3 && notes.kept; ++i) {
      pass(kReplacementSettles);
      const auto done = finish_replacement(faulty, notes, *notes.kept, real.now());
      ASSERT_TRUE(done) << done.error().text();
    }
    EXPECT_FALSE(notes.kept);
  }

  // To the end: each task has run once, and none is left.
  void expect_each_once(std::size_t tasks) {
    pass(std::chrono::hours(1));
    EXPECT_EQ(runs.size(), tasks);
    for (const auto& [task, times] : runs) EXPECT_EQ(times, 1) << "task " << task;
    EXPECT_TRUE(real.waiting()->empty());
  }

  std::string array;
};

TEST(Replacement, TasksThatWaitRunElsewhereAndTheOneThatRunsGoesOn) {
  World world("0-3");
  ASSERT_EQ(world.runs, (std::map<std::uint32_t, int>{{0, 1}}));
  const auto done = world.move(world.intent());
  ASSERT_TRUE(done);
  EXPECT_EQ(done->end, Replaced::End::kMoved);
  EXPECT_EQ(done->tasks->to_vector(), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_FALSE(world.notes.kept);
  world.pass(seconds(5));
  EXPECT_EQ(world.runs.size(), 4U);
  world.expect_each_once(4);
}

TEST(Replacement, AJobThatIsNoArray) {
  World world("");
  // The account is full with this one; the next waits.
  world.old = std::get<Accepted>(*world.real.submit({World::spec("lab", ""), "second", false})).job;
  const auto done = world.move(world.intent());
  ASSERT_TRUE(done);
  EXPECT_EQ(done->end, Replaced::End::kMoved);
  world.pass(seconds(5));
  EXPECT_EQ(world.runs[0], 2);  // Two jobs.
}

TEST(Replacement, ATaskThatStartsMeanwhileKeepsRunning) {
  World world("0-3");
  const Replacement intent = world.intent();
  // Task 0 ends and 1 starts while the new job is on its way.
  int calls = 0;
  world.faulty.after = [&] {
    if (++calls == 1) world.pass(seconds(60));
  };
  const auto done = world.move(intent);
  world.calm();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->tasks->to_vector(), (std::vector<std::uint32_t>{2, 3}));
  world.expect_each_once(4);
}

TEST(Replacement, WhereAllStartedMeanwhileTheNewJobIsCancelled) {
  World world("0-1");
  const Replacement intent = world.intent();
  world.faulty.after = [&, calls = 0]() mutable {
    if (++calls == 1) world.pass(seconds(60));
  };
  const auto done = world.move(intent);
  world.calm();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->end, Replaced::End::kStarted);
  world.expect_each_once(2);
}

TEST(Replacement, WhatTheUserCancelledMeanwhileDoesNotComeBack) {
  World world("0-3");
  const Replacement intent = world.intent();
  world.faulty.after = [&, calls = 0]() mutable {
    if (++calls == 1) (void)world.real.cancel({world.old, 2});
  };
  const auto done = world.move(intent);
  world.calm();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->tasks->to_vector(), (std::vector<std::uint32_t>{1, 3}));
  world.expect_each_once(3);
}

TEST(Replacement, WhereTheSiteRefusesTheNewJobTheOldOneIsAsItWas) {
  World world("0-3");
  JobSpec copy = World::spec("nowhere", "1-3");
  const auto done = replace(world.faulty, world.notes, world.intent(), copy);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->end, Replaced::End::kRefused);
  EXPECT_FALSE(world.notes.kept);
  world.expect_each_once(4);
}

TEST(Replacement, ACrashAtAnyCallIsFinishedByWhoeverComesNext) {
  bool crashed = true;
  int points = 0;
  for (int point = 1; crashed; ++point) {
    World world("0-3");
    crashed = false;
    int left = point;
    for (auto* where :
         {&world.faulty.before, &world.faulty.after, &world.notes.before, &world.notes.after})
      *where = [&left] {
        if (--left == 0) throw Crash{};
      };
    try {
      ASSERT_TRUE(world.move(world.intent()));
    } catch (const Crash&) {
      crashed = true;
      ++points;
    }
    world.finish();
    world.expect_each_once(4);
    if (testing::Test::HasFailure()) FAIL() << "crash at call " << point;
  }
  EXPECT_GT(points, 20);
}

TEST(Replacement, ASubmissionWithoutAnAnswerIsFoundByItsKey) {
  for (const int lost : {1, 2}) {
    World world("0-3");
    world.faulty.lose_answer = [lost] { return lost; };
    const auto done = world.move(world.intent());
    ASSERT_TRUE(done);
    EXPECT_EQ(done->end, lost == 1 ? Replaced::End::kMoved : Replaced::End::kLater);
    world.finish();
    world.expect_each_once(4);
  }
}

}  // namespace
}  // namespace sluice
