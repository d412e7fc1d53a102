// Routed submissions and their moves, with a crash at every call: all jobs of a submission run
// once, or none of them, and nothing is left held.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "escalation/spread.h"
#include "sim/chains/chain_for_tests.h"

namespace sluice {
namespace {

Chain routed(const std::string& array) {
  JobSpec spec;
  spec.name = "task";
  spec.partitions = {"day"};
  spec.cpus_per_task = 1;
  spec.memory = MemoryRequest{MemoryPer::kNode, 10};
  spec.time_limit = minutes(2);
  Ladder once;
  once.levels.push_back({});
  once.handling = {};
  once.handling.states.clear();
  std::optional<ArraySpec> indices;
  if (!array.empty()) indices = parse_array_spec(array).value();
  Chain chain = make_chain("r1", Instant{}, std::move(spec), std::move(once), indices, {});
  chain.terms.routed = true;
  chain.terms.attended = false;
  return chain;
}

// Two accounts; the first of them runs two jobs at once, and nobody may change a job.
struct World {
  SimulatedCluster real;
  FaultyCluster faulty;
  MemoryStore store;
  std::map<std::uint32_t, int> runs;
  bool told = false;  // The submission returned: its user knows the jobs.

  static Policy policy() {
    Policy out = two_account_policy();
    out.associations[1].group.jobs = 2;
    return out;
  }

  explicit World(const std::string& array)
      : real(std::make_shared<const Policy>(policy()), "ann",
             [](const JobSpec&, std::optional<std::uint32_t>) {
               return Fate{seconds(60), {}};
             }),
        faulty(real),
        store(routed(array)) {
    faulty.refuse_changes = true;
  }

  void pass(Duration time) {
    real.pass_until(real.now() + time);
    for (const auto& launched : real.take_launched()) ++runs[launched.task.value_or(0)];
  }

  static Share share(const Chain& chain, const std::string& account, IndexSet tasks) {
    Placement placement{account + "/cpu", chain.spec};
    placement.shape.launch = {};
    placement.shape.account = account;
    return {std::move(tasks), std::move(placement)};
  }

  // Half of the tasks for each account.
  static Spread halves() {
    return [](const Chain& chain, const IndexSet& tasks,
              const Request&) -> Result<std::vector<Share>> {
      IndexSet first;
      IndexSet second;
      for (const std::uint32_t task : tasks.to_vector())
        (task % 2 == 0 ? first : second).insert(task);
      std::vector<Share> out = {share(chain, "lab", first)};
      if (!second.empty()) out.push_back(share(chain, "other", second));
      return out;
    };
  }

  // The process that submits: until it knows how it stands, or dies.
  void submit() {
    Chain chain = store.kept;
    Advance advance(chain, faulty, store, {}, {}, halves());
    try {
      for (int i = 0; i < 20 && !told; ++i) {
        const auto progress = advance.step(real.now());
        if (!progress) return;
        told = !progress->uncertain;
        if (!told) pass(seconds(5));
      }
    } catch (const Crash&) {
    }
  }

  void move() {
    Chain chain = store.kept;
    Advance advance(chain, faulty, store);
    try {
      std::vector<ChainMove> moves;
      const auto groups = real.waiting().value();
      for (const WaitingTasks& group : groups)
        if (chain.carried_by(group.job) != nullptr && group.account == "lab" &&
            !group.reason.starts_with("JobHeld"))
          moves.push_back({group.job, group.tasks, "other", "", {}});
      if (!moves.empty()) (void)advance.move(moves, real.now());
    } catch (const Crash&) {
    }
  }

  // Later commands, half a minute apart, until nothing is left to do.
  void tidy() {
    faulty.before = faulty.after = nullptr;
    faulty.lose_answer = nullptr;
    store.before_commit = store.after_commit = nullptr;
    for (int i = 0; i < 6; ++i) {
      Chain chain = store.kept;
      Advance advance(chain, faulty, store);
      const auto done = advance.tidy(real.now());
      ASSERT_TRUE(done) << done.error().text();
      pass(kLookFor);
    }
    EXPECT_FALSE(store.kept.is_under_way());
  }

  // All of them ran once, or none; and nothing is left in the queue.
  void expect_all_or_none(std::size_t tasks) {
    pass(std::chrono::hours(2));
    if (told)
      EXPECT_EQ(runs.size(), tasks);
    else
      EXPECT_TRUE(runs.empty() || runs.size() == tasks) << runs.size();
    for (const auto& [task, times] : runs) EXPECT_EQ(times, 1) << "task " << task;
    EXPECT_TRUE(real.waiting()->empty());
    EXPECT_EQ(real.describe()->associations[0].submitted, 0);
    const Audit sum = audit(store.kept);
    EXPECT_TRUE(sum.problems.empty()) << sum.problems.front();
  }
};

// Dies before or after the n-th thing it does, for every n until nothing is left to die at.
template <class Act>
std::size_t crash_at_every_point(World& (*fresh)(std::unique_ptr<World>&), std::size_t tasks,
                                 Act act) {
  std::size_t points = 0;
  for (const bool before : {true, false})
    for (int n = 1;; ++n) {
      std::unique_ptr<World> kept;
      World& world = fresh(kept);
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
      act(world);
      world.tidy();
      world.expect_all_or_none(tasks);
      ++points;
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "crash " << (before ? "before" : "after") << " point " << n;
        return points;
      }
      if (!died) break;
    }
  return points;
}

World& of_six(std::unique_ptr<World>& kept) {
  kept = std::make_unique<World>("0-5");
  return *kept;
}
World& of_one(std::unique_ptr<World>& kept) {
  kept = std::make_unique<World>("");
  return *kept;
}
// Submitted, and the third task of the first account waits.
World& that_waits(std::unique_ptr<World>& kept) {
  kept = std::make_unique<World>("0-9");
  kept->submit();
  kept->pass(seconds(5));
  return *kept;
}

TEST(RoutedSubmission, GoesToEveryPoolAtOnce) {
  World world("0-5");
  world.submit();
  EXPECT_TRUE(world.told);
  ASSERT_EQ(world.store.kept.batches.size(), 2U);
  EXPECT_EQ(world.store.kept.batch(1).placement->shape.account, "lab");
  EXPECT_EQ(world.store.kept.batch(2).state, BatchState::kReleased);
  world.expect_all_or_none(6);
}

TEST(RoutedSubmission, ACrashAtAnyPointRunsAllTasksOnceOrNone) {
  EXPECT_GT(crash_at_every_point(of_six, 6, [](World& world) { world.submit(); }), 20U);
}

TEST(RoutedSubmission, ACrashAtAnyPointOfAJobThatIsNoArray) {
  EXPECT_GT(crash_at_every_point(of_one, 1, [](World& world) { world.submit(); }), 10U);
}

TEST(RoutedSubmission, ACrashAtAnyPointOfAMoveLosesNothingAndDoublesNothing) {
  EXPECT_GT(crash_at_every_point(that_waits, 10, [](World& world) { world.move(); }), 20U);
}

TEST(RoutedSubmission, AnswersThatGetLostAreFoundOrMadeAgain) {
  for (const int kind : {1, 2}) {
    World world("0-5");
    int calls = 0;
    world.faulty.lose_answer = [&] { return ++calls == 2 ? kind : 0; };
    world.submit();
    EXPECT_TRUE(world.told);
    world.tidy();
    world.expect_all_or_none(6);
  }
}

TEST(RoutedSubmission, WhereOneIsRefusedNothingIsSubmitted) {
  World world("0-5");
  Chain chain = world.store.kept;
  Advance advance(chain, world.faulty, world.store, {}, {},
                  [](const Chain& it, const IndexSet& tasks, const Request&) {
                    IndexSet rest = tasks;
                    IndexSet first;
                    first.insert(0);
                    rest.erase(0);
                    return Result<std::vector<Share>>(std::vector<Share>{
                        World::share(it, "lab", first), World::share(it, "nowhere", rest)});
                  });
  const auto done = advance.step(world.real.now());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kFailed);
  EXPECT_FALSE(chain.is_under_way());
  world.expect_all_or_none(6);
  EXPECT_TRUE(world.runs.empty());
}

// The hole that notes had: whoever came first after a crash found nothing, and forgot it.
TEST(RoutedSubmission, WhatMayStillArriveIsNotForgotten) {
  World world("0-5");
  world.faulty.lose_answer = [] { return 2; };  // Still on its way.
  Chain chain = world.store.kept;
  {
    Advance advance(chain, world.faulty, world.store, {}, {}, World::halves());
    ASSERT_TRUE(advance.step(world.real.now()));
  }
  const Batch sent = world.store.kept.batch(1);
  // The process dies. The next command finds nothing; then the job arrives.
  for (int command = 0; command < 2; ++command) {
    chain = world.store.kept;
    Advance advance(chain, world.real, world.store);
    const auto done = advance.tidy(world.real.now());
    ASSERT_TRUE(done);
    EXPECT_TRUE(done->uncertain);
    world.pass(seconds(10));
  }
  EXPECT_TRUE(world.store.kept.is_under_way());
  ASSERT_TRUE(world.real.submit({batch_job(world.store.kept, sent), sent.key, true}));
  world.tidy();
  world.expect_all_or_none(6);
  EXPECT_TRUE(world.runs.empty());
}

TEST(RoutedSubmission, WhatAProcessStillSendsIsWaitedFor) {
  World world("0-5");
  world.faulty.lose_answer = [] { return 2; };
  Chain chain = world.store.kept;
  Advance first(chain, world.faulty, world.store, {}, {}, World::halves());
  ASSERT_TRUE(first.step(world.real.now()));
  Attendance sending;
  sending.on_its_way = [](const std::string&) { return true; };
  for (int i = 0; i < 5; ++i) {
    Advance advance(chain, world.real, world.store, sending);
    ASSERT_TRUE(advance.tidy(world.real.now()));
    world.pass(minutes(1));
  }
  EXPECT_TRUE(world.store.kept.is_under_way());
}

}  // namespace
}  // namespace sluice
