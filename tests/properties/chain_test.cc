// Chains with random outcomes, crashes and lost answers: every task ends once, in one state.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sim/chains/chain_for_tests.h"

namespace sluice {
namespace {

// The n-th run of a task, always the same for one seed.
std::uint64_t draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = seed ^ (a * 0x9E3779B97F4A7C15ULL) ^ (b * 0xC2B2AE3D27D4EB4FULL);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

Fate random_fate(std::uint64_t seed, const JobSpec& spec, std::uint32_t index) {
  const std::string round = variable(spec, "SLUICE_ROUND");
  const std::uint64_t x = draw(seed, index, std::stoul(round));
  Fate fate;
  fate.run = seconds(static_cast<std::int64_t>(x >> 8) % 90);
  fate.outcome.max_rss_kb = static_cast<std::int64_t>(x >> 16) % (1024 * 1024);
  switch (x % 8) {
    case 0:
      fate.outcome.state = JobState::kOutOfMemory;
      break;
    case 1:
      fate.outcome = {.state = JobState::kFailed, .exit_code = 1};
      break;
    case 2:
      fate.outcome = {.state = JobState::kFailed, .exit_code = 0, .signal = 9};
      break;
    case 3:
      fate.outcome.state = JobState::kNodeFail;
      break;
    case 4:
      fate.run = std::chrono::hours(2);  // Ends at its limit.
      break;
    default:
      break;
  }
  return fate;
}

TEST(Chain, EndsWithEveryTaskInOneStateWhateverHappens) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    Policy policy = two_account_policy();
    policy.jobs.max_array_size = *rc::gen::inRange<std::uint32_t>(3, 60);
    if (*rc::gen::arbitrary<bool>())
      policy.associations[2].max_submit_jobs = *rc::gen::inRange<std::int64_t>(4, 30);
    // Handlers are jobs of it too.
    if (*rc::gen::arbitrary<bool>())
      policy.associations[1].group.jobs = *rc::gen::inRange<std::int64_t>(2, 10);
    Ladder ladder = seed_ladder();
    if (*rc::gen::arbitrary<bool>()) ladder.climb = Climb::kWholeLevel;
    const auto last = *rc::gen::inRange(0, 60);
    JobSpec spec;
    spec.name = "x";
    ChainWorld world(
        std::move(policy), spec, ladder, fmt::format("0-{}:2,{}", last, last + 3),
        [seed](const JobSpec& job, std::uint32_t index) { return random_fate(seed, job, index); });
    world.attended = *rc::gen::inRange(0, 4) > 0;
    if (*rc::gen::arbitrary<bool>()) world.learn();
    // As where its tasks could move to another account.
    if (*rc::gen::arbitrary<bool>()) world.look_every = minutes(*rc::gen::inRange(1, 30));
    // As where they are stuck on a site that lets nobody change a job.
    world.faulty.refuse_changes = *rc::gen::arbitrary<bool>();
    auto moves_left = *rc::gen::inRange(0, 8);
    world.to_move = [&](const Chain& chain) -> std::vector<ChainMove> {
      if (moves_left == 0 || draw(seed, chain.batches.size(), 3) % 3 == 0) return {};
      --moves_left;
      return world.all_that_waits(chain);
    };
    const auto crash_every = *rc::gen::inRange<std::uint64_t>(0, 60);
    const auto lose_every = *rc::gen::inRange<std::uint64_t>(0, 6);
    std::uint64_t calls = 0;
    const auto maybe_die = [&] {
      if (crash_every > 10 && draw(seed, ++calls, 1) % crash_every == 0) throw Crash{};
    };
    world.faulty.before = maybe_die;
    world.faulty.after = maybe_die;
    world.store.before_commit = maybe_die;
    world.store.after_commit = maybe_die;
    world.faulty.lose_answer = [&]() -> int {
      if (lose_every < 2) return 0;
      const std::uint64_t x = draw(seed, ++calls, 2);
      return x % lose_every == 0 ? 1 + static_cast<int>(x >> 40) % 2 : 0;
    };
    world.run(std::chrono::hours(72 * 5000));
    const Audit sum = audit(world.store.kept);
    RC_ASSERT(sum.problems.empty());
    RC_ASSERT(world.store.kept.state == ChainState::kEnded);
    RC_ASSERT(sum.completed + sum.given_up == sum.tasks);
    std::map<std::uint32_t, std::size_t> runs;
    for (const TaskRun& run : world.store.ended) ++runs[run.index];
    for (const Task& task : world.store.kept.tasks) {
      RC_ASSERT(world.launches(task.index) == task.round);
      RC_ASSERT(runs[task.index] == task.round);
    }
    // Nothing is left in the queue once the last handler has ended.
    world.cluster.pass_until(world.cluster.now() + minutes(2));
    RC_ASSERT(world.cluster.describe()->associations[0].submitted == 0);
  }));
}

}  // namespace
}  // namespace sluice
