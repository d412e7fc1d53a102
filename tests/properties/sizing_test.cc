// The first request that costs least, against trying every one.
#include "escalation/sizing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace sluice {
namespace {

std::vector<Need> some_needs() {
  std::vector<Need> out;
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i)
    out.push_back(
        {*rc::gen::inRange<std::uint64_t>(0, 300), *rc::gen::inRange<std::uint64_t>(1, 50)});
  return out;
}

std::vector<std::uint64_t> some_steps() {
  auto out = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 256)));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST(Sizing, NoOtherFirstRequestCostsLess) {
  EXPECT_TRUE(rc::check([] {
    const auto needs = some_needs();
    const auto steps = some_steps();
    const auto best = best_first(needs, steps);
    RC_ASSERT(best.has_value());
    RC_ASSERT(*best >= 1U && *best <= steps.back());
    const std::uint64_t least = cost_of_all(*best, needs, steps);
    for (std::uint64_t first = 1; first <= steps.back(); ++first)
      RC_ASSERT(cost_of_all(first, needs, steps) >= least);
  }));
}

// Attempt by attempt, as a task lives it.
TEST(Sizing, TheCostIsWhatTheAttemptsHold) {
  EXPECT_TRUE(rc::check([] {
    const auto steps = some_steps();
    const auto first = *rc::gen::inRange<std::uint64_t>(1, steps.back() + 1);
    const auto need = *rc::gen::inRange<std::uint64_t>(0, 300);
    std::uint64_t held = first;
    std::uint64_t asked = first;
    while (asked < need) {
      const auto next = std::upper_bound(steps.begin(), steps.end(), asked);
      if (next == steps.end()) break;
      asked = *next;
      held += asked;
    }
    RC_ASSERT(cost_of(first, need, steps) == held);
  }));
}

// A chain on a machine that runs so many tasks at once, in the order of their numbers. What its
// runs take, and how often a task was lost by asking for less than the ladder does.
struct Lived {
  Duration time{0};
  std::size_t lost = 0;
};
struct TaskNeed {
  std::int64_t mb = 0;
  Duration takes{0};
};

Lived live(const std::vector<TaskNeed>& needs, std::size_t at_once, bool learns) {
  constexpr std::int64_t kFirst = 1000;
  Ladder ladder;
  ladder.levels.push_back({{}, MemoryRequest{MemoryPer::kNode, kFirst}, std::nullopt, ""});
  ladder.levels.push_back({{}, MemoryRequest{MemoryPer::kNode, 4 * kFirst}, std::nullopt, ""});
  ArraySpec array;
  array.indices.insert_range(0, static_cast<std::uint32_t>(needs.size() - 1));
  Chain chain = make_chain("c", {}, {}, std::move(ladder), array, {});
  if (learns) chain.sizing = Sizing{};
  const auto hand_in = [&](IndexSet tasks, std::uint32_t round, Rung rung) {
    Batch batch;
    batch.number = static_cast<std::uint32_t>(chain.batches.size() + 1);
    batch.round = round;
    batch.rung = rung;
    batch.request = request_at(chain.ladder, rung);
    batch.tasks = std::move(tasks);
    record_in(chain, BatchesIntended{{batch}});
    record_in(chain, BatchAccepted{batch.number, RemoteJob{JobId(batch.number), {}}});
    record_in(chain, BatchReleased{batch.number});
  };
  hand_in(array.indices, 1, {});
  std::vector<TaskRun> runs;
  std::vector<std::pair<Instant, std::uint32_t>> running;
  std::vector<std::uint32_t> again;
  std::uint32_t next = 0;
  Instant now{};
  Lived out;
  const auto begin = [&](std::uint32_t task) {
    TasksSeen seen;
    seen.running = {task};
    record_in(chain, seen);
    running.emplace_back(now + needs[task].takes, task);
  };
  for (;;) {
    while (running.size() < at_once && (!again.empty() || next < needs.size())) {
      const std::uint32_t task = again.empty() ? next++ : again.back();
      if (!again.empty()) again.pop_back();
      begin(task);
    }
    if (running.empty()) return out;
    const auto first = std::min_element(running.begin(), running.end());
    now = first->first;
    const std::uint32_t index = first->second;
    running.erase(first);
    out.time += needs[index].takes;
    const std::int64_t asked = chain.batch(chain.task(index).batch).request.memory->mb;
    TaskRun run;
    run.index = index;
    run.batch = chain.task(index).batch;
    run.round = chain.batch(run.batch).round;
    run.start = now - needs[index].takes;
    run.end = now;
    run.max_rss_kb = std::min(asked, needs[index].mb) * 1024;
    Task after = chain.task(index);
    after.running = false;
    const bool fits = needs[index].mb <= asked;
    run.state = fits ? JobState::kCompleted : JobState::kOutOfMemory;
    after.state = fits ? TaskState::kCompleted : TaskState::kWaiting;
    if (!fits) {
      if (asked < kFirst && needs[index].mb <= kFirst) ++out.lost;
      after.rung =
          climb_from(chain.ladder, after.rung, chain.batch(run.batch).request, Remedy::kMoreMemory)
              .value_or(after.rung);
    }
    record_in(chain, TasksSettled{{{run, after}}});
    runs.push_back(run);
    if (!fits) {
      IndexSet one;
      one.insert(index);
      hand_in(std::move(one), run.round + 1, after.rung);
      again.push_back(index);
    }
    if (!learns || !sizing_matters(chain) || !knows_enough_to_size(chain)) continue;
    std::vector<TaskRun> sorted = runs;
    std::sort(sorted.begin(), sorted.end(), [](const TaskRun& one, const TaskRun& other) {
      return std::pair(one.index, one.batch) < std::pair(other.index, other.batch);
    });
    if (auto sized = next_sizing(chain, sorted)) record_in(chain, ChainSized{*sized});
    for (const Batch& part : parts_to_resize(chain, now)) {
      Batch numbered = part;
      numbered.number = static_cast<std::uint32_t>(chain.batches.size() + 1);
      record_in(chain, BatchesResized{{numbered}});
    }
  }
}

void expect_little_lost(const std::vector<TaskNeed>& needs, std::size_t at_once) {
  const Lived alone = live(needs, at_once, false);
  const Lived learnt = live(needs, at_once, true);
  RC_ASSERT(learnt.time.count() * 10 <= alone.time.count() * 11);
}

TEST(Sizing, SmallFirstTasksDoNotMakeAllLaterOnesRunTwice) {
  std::vector<TaskNeed> needs(141, {600, seconds(30)});
  for (std::size_t i = 0; i < 5; ++i) needs[i] = {10, seconds(30)};
  const Lived learnt = live(needs, 2, true);
  EXPECT_LE(learnt.lost, 8U);
}

TEST(Sizing, LearningIsNeverMuchWorseThanTheLadderAlone) {
  EXPECT_TRUE(rc::check([] {
    // Blocks of small and large tasks, in any order: whatever was learnt is wrong for the next.
    std::vector<TaskNeed> needs;
    const int blocks = *rc::gen::inRange(1, 12);
    for (int i = 0; i < blocks; ++i) {
      const TaskNeed need{*rc::gen::element<std::int64_t>(5, 100, 400, 900, 990, 2000),
                          seconds(*rc::gen::inRange<std::int64_t>(10, 40))};
      needs.insert(needs.end(), *rc::gen::inRange<std::size_t>(1, 60), need);
    }
    expect_little_lost(needs, *rc::gen::inRange<std::size_t>(1, 9));
  }));
}

}  // namespace
}  // namespace sluice
