// What moving to another job does to a chain: no end of a task, no level, no round.
#include "escalation/chain.h"

#include <gtest/gtest.h>

#include "escalation/next_step.h"
#include "text/array_spec.h"

namespace sluice {
namespace {

const RemoteJob kOld{JobId(7), Instant(seconds(10))};
const RemoteJob kNew{JobId(9), Instant(seconds(20))};

IndexSet indices(const char* text) { return parse_array_spec(text).value().indices; }

// Eight tasks in one array that was released; tasks 2 to 6 are to go elsewhere.
Chain moving() {
  Ladder ladder;
  ladder.levels.push_back({{"day"}, MemoryRequest{MemoryPer::kNode, 1000}, minutes(1), "l:1"});
  ladder.levels.push_back({{"week"}, MemoryRequest{MemoryPer::kNode, 2000}, minutes(2), "l:2"});
  Chain chain = make_chain("c1", Instant{}, JobSpec{}, ladder, parse_array_spec("0-7").value(), {});
  chain.spec.account = "clive";
  record_in(chain, hand_in(chain, {}, Instant{}).value());
  record_in(chain, BatchAccepted{1, kOld});
  record_in(chain, BatchReleased{1});
  Batch next = chain.batch(1);
  next.number = 2;
  next.key = "c1.b2";
  next.state = BatchState::kIntended;
  next.tasks = indices("2-6");
  next.move = BatchMove{1, kOld, "maigan", "high", {}};
  next.job.reset();
  record_in(chain, MoveIntended{next});
  return chain;
}

Sighting seen(const RemoteJob& job, const char* tasks, JobState state) {
  Sighting out;
  out.ref = {job, std::nullopt};
  for (const std::uint32_t index : indices(tasks).to_vector()) {
    SeenTask& task = out.tasks.emplace_back();
    task.task = index;
    task.state = state;
  }
  return out;
}

TEST(ChainMove, UntilTheyAreTakenTheTasksAreTheOldJobs) {
  Chain chain = moving();
  EXPECT_TRUE(chain.is_moving(2));
  EXPECT_FALSE(chain.is_moving(7));
  record_in(chain, BatchAccepted{2, kNew});
  EXPECT_EQ(chain.batch(2).state, BatchState::kTaking);
  EXPECT_EQ(chain.task(2).batch, 1U);
  EXPECT_TRUE(audit(chain).problems.empty());
  // One of them starts and completes where it is.
  const Sighting sighting = seen(kOld, "2", JobState::kCompleted);
  record_in(chain, settle(chain, {&sighting, 1}).settled);
  EXPECT_EQ(chain.task(2).state, TaskState::kCompleted);
  record_in(chain, BatchWithdrawn{2, GivenUp::kNo});
  EXPECT_EQ(chain.task(3).state, TaskState::kSubmitted);
  EXPECT_EQ(chain.task(3).batch, 1U);
  EXPECT_EQ(chain.task(3).round, 1U);
  EXPECT_FALSE(chain.is_moving(3));
  EXPECT_TRUE(audit(chain).problems.empty());
}

TEST(ChainMove, WhatIsCancelledInTheOldJobIsNoEnd) {
  Chain chain = moving();
  record_in(chain, BatchAccepted{2, kNew});
  record_in(chain, TasksTaken{2, indices("3-5")});
  EXPECT_EQ(chain.batch(1).tasks, indices("0-2,6,7"));
  EXPECT_EQ(chain.batch(2).tasks, indices("3-5"));
  EXPECT_EQ(chain.batch(2).move->spare, indices("2,6"));
  const Sighting sighting = seen(kOld, "3-5", JobState::kCancelled);
  EXPECT_TRUE(settle(chain, {&sighting, 1}).nothing());
  record_in(chain, MoveEnded{2, {}});
  EXPECT_EQ(chain.batch(2).state, BatchState::kAccepted);
  EXPECT_TRUE(settle(chain, {&sighting, 1}).nothing());
  for (const std::uint32_t index : {3U, 4U, 5U}) {
    EXPECT_EQ(chain.task(index).state, TaskState::kSubmitted);
    EXPECT_EQ(chain.task(index).round, 1U);
    EXPECT_EQ(chain.task(index).rung, Rung{});
  }
  // Every task of either job is the chain's; others are not.
  for (const std::uint32_t index : {2U, 3U, 6U}) {
    EXPECT_TRUE(chain.knows(kOld, index));
    EXPECT_TRUE(chain.knows(kNew, index));
  }
  EXPECT_FALSE(chain.knows(kNew, 7));
  EXPECT_TRUE(audit(chain).problems.empty());
  const JobSpec job = batch_job(chain, chain.batch(2));
  EXPECT_EQ(job.account, "maigan");
  EXPECT_EQ(job.qos, "high");
  EXPECT_EQ(batch_job(chain, chain.batch(1)).account, "clive");
}

TEST(ChainMove, WhatHadStartedAfterAllGoesBack) {
  Chain chain = moving();
  record_in(chain, BatchAccepted{2, kNew});
  // All that the old batch still had.
  const Sighting others = seen(kOld, "0-2,6,7", JobState::kCompleted);
  record_in(chain, settle(chain, {&others, 1}).settled);
  record_in(chain, TasksTaken{2, indices("3-5")});
  EXPECT_EQ(chain.batch(1).state, BatchState::kClosed);
  record_in(chain, MoveEnded{2, indices("4")});
  EXPECT_EQ(chain.batch(1).state, BatchState::kReleased);
  EXPECT_EQ(chain.task(4).batch, 1U);
  EXPECT_EQ(chain.batch(2).tasks, indices("3,5"));
  EXPECT_TRUE(chain.batch(2).move->spare.contains(4));
  EXPECT_TRUE(audit(chain).problems.empty());
}

TEST(ChainMove, WhereAllWentBackTheNewJobIsWithdrawn) {
  Chain chain = moving();
  record_in(chain, BatchAccepted{2, kNew});
  record_in(chain, TasksTaken{2, indices("3-5")});
  record_in(chain, MoveEnded{2, indices("3-5")});
  EXPECT_EQ(chain.batch(2).state, BatchState::kWithdrawn);
  EXPECT_EQ(chain.batch(2).job, kNew);  // To be cancelled.
  EXPECT_EQ(chain.batch(1).tasks, indices("0-7"));
  EXPECT_TRUE(audit(chain).problems.empty());
}

}  // namespace
}  // namespace sluice
