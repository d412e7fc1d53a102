#include "escalation/sizing.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using Steps = std::vector<std::uint64_t>;

TEST(Sizing, ATaskThatFitsCostsWhatItAsksFor) {
  EXPECT_EQ(cost_of(100, 80, Steps{200, 400}), 100U);
  EXPECT_EQ(cost_of(200, 200, Steps{200, 400}), 200U);
}

TEST(Sizing, ATaskThatDoesNotPaysForEveryStepItClimbs) {
  EXPECT_EQ(cost_of(100, 300, Steps{200, 400}), 100U + 200U + 400U);
  EXPECT_EQ(cost_of(200, 300, Steps{200, 400}), 200U + 400U);
  // Beyond the top it is given up after the last step.
  EXPECT_EQ(cost_of(200, 999, Steps{200, 400}), 200U + 400U);
}

TEST(Sizing, EqualNeedsAreMetExactly) {
  const std::vector<Need> needs(10, Need{90, 7});
  EXPECT_EQ(best_first(needs, Steps{1024, 2048}), 90U);
}

TEST(Sizing, AFewLargeOnesPayForThemselves) {
  // Nineteen of twenty need 100: the one that needs 900 comes back.
  std::vector<Need> needs(19, Need{100, 1});
  needs.push_back({900, 1});
  EXPECT_EQ(best_first(needs, Steps{1000}), 100U);
  // Most of them need 900: asking for that at once is cheaper than running those twice.
  needs.assign(2, Need{100, 1});
  needs.insert(needs.end(), 18, Need{900, 1});
  EXPECT_EQ(best_first(needs, Steps{1000}), 900U);
}

TEST(Sizing, ItMayRaiseTheFirstRequest) {
  // The first level never suffices: its run is lost every time.
  const std::vector<Need> needs(10, Need{1500, 1});
  EXPECT_EQ(best_first(needs, Steps{1024, 4096}), 1500U);
}

TEST(Sizing, NothingIsKnownFromNothing) {
  EXPECT_FALSE(best_first({}, Steps{1}));
  EXPECT_FALSE(best_first(std::vector<Need>{{1, 1}}, Steps{}));
}

// Levels of 1 and 4 GB, and 1 and 4 hours; all tasks in one array.
Chain chain_of(std::uint32_t tasks) {
  Ladder ladder;
  ladder.levels.push_back({{"day"}, MemoryRequest{MemoryPer::kNode, 1024}, minutes(60), ""});
  ladder.levels.push_back({{"week"}, MemoryRequest{MemoryPer::kNode, 4096}, minutes(240), ""});
  ArraySpec array;
  array.indices.insert_range(0, tasks - 1);
  Chain chain = make_chain("c", {}, {}, std::move(ladder), array, {});
  chain.sizing = Sizing{};
  Batch batch;
  batch.number = 1;
  batch.round = 1;
  batch.request = request_at(chain.ladder, {});
  batch.tasks = array.indices;
  record_in(chain, BatchesIntended{{batch}});
  record_in(chain, BatchAccepted{1, RemoteJob{JobId(7), {}}});
  record_in(chain, BatchReleased{1});
  return chain;
}

// The first tasks complete, each with so much memory after so long.
std::vector<TaskRun> complete(Chain& chain, std::uint32_t count, std::int64_t mb, Duration took) {
  std::vector<TaskRun> out;
  TasksSettled event;
  for (std::uint32_t i = 0; i < count; ++i) {
    TaskRun run;
    run.index = i;
    run.batch = 1;
    run.round = 1;
    run.max_rss_kb = mb * 1024;
    run.start = Instant{};
    run.end = Instant{} + took;
    Task after = chain.task(i);
    after.state = TaskState::kCompleted;
    event.settlements.push_back({run, after});
    out.push_back(run);
  }
  record_in(chain, std::move(event));
  return out;
}

TEST(Sizing, LearnsFromTheFirstTasksWithSomeRoom) {
  Chain chain = chain_of(100);
  const auto runs = complete(chain, 5, 200, minutes(10));
  const auto sizing = next_sizing(chain, runs);
  ASSERT_TRUE(sizing);
  EXPECT_EQ(sizing->memory_mb, 240);  // An eighth and 8 MB more, in eights.
  EXPECT_EQ(sizing->time, minutes(13));
  EXPECT_EQ(sizing->tasks, 5U);
}

TEST(Sizing, LowersNoTimeBelowAMinute) {
  Chain chain = chain_of(100);
  const auto sizing = next_sizing(chain, complete(chain, 5, 200, seconds(2)));
  ASSERT_TRUE(sizing);
  EXPECT_EQ(sizing->time, minutes(1));
}

TEST(Sizing, WaitsUntilEnoughHasEnded) {
  Chain chain = chain_of(100);
  EXPECT_FALSE(next_sizing(chain, complete(chain, 4, 200, minutes(10))));
  chain = chain_of(100);
  chain.sizing->tasks = 6;
  EXPECT_FALSE(next_sizing(chain, complete(chain, 11, 200, minutes(10))));
  EXPECT_TRUE(next_sizing(chain, complete(chain = chain_of(100), 12, 200, minutes(10))));
}

TEST(Sizing, WhoStillRunsMayNeedAllItsTime) {
  Chain chain = chain_of(100);
  const auto runs = complete(chain, 5, 200, minutes(10));
  TasksSeen seen;
  for (std::uint32_t i = 5; i < 15; ++i) seen.running.push_back(i);
  record_in(chain, seen);
  const auto sizing = next_sizing(chain, runs);
  ASSERT_TRUE(sizing);
  EXPECT_EQ(sizing->memory_mb, 240);
  EXPECT_FALSE(sizing->time);
}

TEST(Sizing, WaitingTasksLeaveTheirBatchAndRunningOnesStay) {
  Chain chain = chain_of(20);
  const auto runs = complete(chain, 5, 200, minutes(10));
  TasksSeen seen;
  seen.running = {5, 6};
  record_in(chain, seen);
  record_in(chain, ChainSized{*next_sizing(chain, runs)});
  const auto parts = parts_to_resize(chain, {});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].tasks.size(), 13U);
  EXPECT_EQ(parts[0].request.memory->mb, 240);
  record_in(chain, BatchesResized{parts});
  EXPECT_TRUE(audit(chain).problems.empty());
  EXPECT_EQ(chain.batch(1).tasks.size(), 7U);
  EXPECT_EQ(chain.task(19).batch, 2U);
  EXPECT_TRUE(parts_to_resize(chain, {}).empty());
}

TEST(Sizing, WhatWasCutComesBackWithWhatItsRungGives) {
  Chain chain = chain_of(20);
  const auto runs = complete(chain, 5, 200, minutes(10));
  record_in(chain, ChainSized{*next_sizing(chain, runs)});
  record_in(chain, BatchesResized{parts_to_resize(chain, {})});
  const Request& asked = chain.batch(2).request;
  const Rung& rung = chain.task(19).rung;
  EXPECT_EQ(climb_from(chain.ladder, rung, asked, Remedy::kMoreMemory), rung);
  // From there as ever.
  EXPECT_EQ(climb_from(chain.ladder, rung, request_at(chain.ladder, rung), Remedy::kMoreMemory),
            (Rung{1, 0}));
}

TEST(Sizing, MoreThanTheFirstLevelMovesToAPartitionThatHoldsIt) {
  Chain chain = chain_of(20);
  Sizing sizing = *chain.sizing;
  sizing.memory_mb = 1500;
  const SizedRequest sized = sized_request(chain.ladder, sizing);
  EXPECT_EQ(sized.rung, (Rung{1, 0}));
  EXPECT_EQ(sized.request.partitions, std::vector<std::string>{"week"});
  EXPECT_EQ(sized.request.memory->mb, 1500);
  EXPECT_EQ(sized.request.time, minutes(60));
}

}  // namespace
}  // namespace sluice
