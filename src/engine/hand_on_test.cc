// Places handed on between the short tasks of one array.
#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"

namespace sluice {
namespace {

// An array on a cluster with room for two of its tasks, of which ten were quick.
class HandOn : public ::testing::Test {
 protected:
  HandOn() : lab_(policy()) {
    lab_.engine().hand_on_ahead();
    JobSpec spec = cpus(4);
    spec.array.emplace();
    spec.array->indices.insert_range(0, 999);
    array_ = lab_.submit(spec);
  }
  static Policy policy() {
    Policy policy = small_policy();
    policy.jobs.min_job_age = seconds(300);
    return policy;
  }
  // Ends whoever runs, one after the other, without anybody in line.
  void be_quick(int times) {
    for (int i = 0; i < times; ++i) {
      const JobId job = running();
      note(lab_.turn());
      lab_.end(job);
    }
    note(lab_.turn());
  }
  JobId running() const { return lab_.state().expected_ends().front().job; }
  void note(const Turn& turn) {
    for (const Order& order : turn.orders)
      if (const auto* launch = std::get_if<LaunchJob>(&order); launch && launch->after)
        ahead_.push_back(*launch);
  }
  // The first in line behind the job.
  const LaunchJob& behind(JobId job) const {
    for (const LaunchJob& launch : ahead_)
      if (launch.after->job == job) return launch;
    ADD_FAILURE() << "nobody is in line";
    return ahead_.front();
  }

  Lab lab_;
  JobId array_;
  std::vector<LaunchJob> ahead_;
};

TEST_F(HandOn, NobodyIsInLineBeforeSomeWereQuick) {
  be_quick(7);
  EXPECT_TRUE(ahead_.empty());
  be_quick(1);
  EXPECT_FALSE(ahead_.empty());
}

TEST_F(HandOn, SlowTasksHandNothingOn) {
  for (int i = 0; i < 20; ++i) {
    lab_.pass(seconds(1));
    lab_.end(running());
    note(lab_.turn());
  }
  EXPECT_TRUE(ahead_.empty());
}

// So that whoever comes next waits a tenth of a second for them and not longer.
TEST_F(HandOn, TheSlowerTheyAreTheFewerWait) {
  for (int i = 0; i < 10; ++i) {
    lab_.pass(Duration(10));
    lab_.end(running());
    note(lab_.turn());
  }
  std::map<JobId, int> behind;
  for (const LaunchJob& launch : ahead_) ++behind[launch.holder];
  EXPECT_FALSE(behind.empty());
  for (const auto& [holder, count] : behind) EXPECT_LE(count, 10);
}

TEST_F(HandOn, OnlyDriversThatCanHaveThem) {
  Lab plain(policy());
  JobSpec spec = cpus(4);
  spec.array.emplace();
  spec.array->indices.insert_range(0, 99);
  plain.submit(spec);
  for (int i = 0; i < 20; ++i) {
    plain.end(plain.state().expected_ends().front().job);
    for (const Order& order : plain.turn().orders)
      EXPECT_FALSE(std::get<LaunchJob>(order).after.has_value());
  }
}

TEST_F(HandOn, WhoTookThePlaceRunsWithWhatItsForerunnerHad) {
  be_quick(8);
  const JobId before = running();
  const LaunchJob next = behind(before);
  EXPECT_EQ(next.holder, before);
  EXPECT_EQ(lab_.state_of(next.job), JobState::kPending);
  EXPECT_TRUE(lab_.job(next.job).in_line);
  const NodeId node = lab_.node_of(before);
  lab_.give(RunEnded{before, 1, Outcome{.state = JobState::kCompleted},
                     RunInLine{next.job, next.attempt}});
  EXPECT_EQ(lab_.state_of(before), JobState::kCompleted);
  EXPECT_EQ(lab_.state_of(next.job), JobState::kRunning);
  EXPECT_EQ(lab_.node_of(next.job), node);
  // It runs already: nobody launches it, and nobody else has the place.
  for (const Order& order : lab_.turn().orders)
    EXPECT_TRUE(!std::holds_alternative<LaunchJob>(order) ||
                std::get<LaunchJob>(order).after.has_value());
  EXPECT_EQ(lab_.state().expected_ends().size(), 2U);
}

TEST_F(HandOn, WhoIsReturnedWaitsLikeTheOthers) {
  be_quick(8);
  const JobId before = running();
  const LaunchJob next = behind(before);
  lab_.give(RunReturned{next.job});
  EXPECT_TRUE(lab_.job(next.job).eligible);
  lab_.end(before);
  EXPECT_EQ(lab_.state_of(next.job), JobState::kRunning);
  EXPECT_EQ(lab_.job(next.job).attempt, 1U);
}

TEST_F(HandOn, CancellingTakesThemOutOfTheLine) {
  be_quick(8);
  const JobId before = running();
  const LaunchJob next = behind(before);
  lab_.give(CancelJob{JobRef{array_, lab_.job(next.job).task}, kRoot, std::nullopt});
  EXPECT_EQ(lab_.state_of(next.job), JobState::kCancelled);
  const auto* end = std::get_if<EndJob>(&lab_.turn().orders.front());
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->job, next.job);
  // Too late: it is told to end, and the place is given to somebody else.
  lab_.give(RunEnded{before, 1, Outcome{.state = JobState::kCompleted},
                     RunInLine{next.job, next.attempt}});
  EXPECT_EQ(lab_.state_of(next.job), JobState::kCancelled);
  EXPECT_EQ(lab_.state().expected_ends().size(), 2U);
}

TEST_F(HandOn, TheyCanBeChangedAsLittleAsTheRunning) {
  be_quick(8);
  const LaunchJob next = behind(running());
  const JobRef ref{array_, lab_.job(next.job).task};
  JobChange change;
  change.name = "other";
  EXPECT_EQ(message_of(lab_.give(UpdateJob{ref, change, kRoot})),
            "Job is no longer pending execution");
  lab_.give(HoldJob{ref, kRoot});
  EXPECT_EQ(lab_.job(next.job).held, HeldBy::kNobody);
}

TEST_F(HandOn, WhoMayHaveRunOnALostMachineComesBackAsAnotherAttempt) {
  be_quick(8);
  const JobId before = running();
  const LaunchJob next = behind(before);
  lab_.give(RunLost{before, 1});
  lab_.give(RunLost{next.job, next.attempt, before});
  EXPECT_GE(lab_.job(next.job).attempt, 1U);
  EXPECT_FALSE(lab_.job(next.job).in_line);
}

TEST_F(HandOn, SomebodyOfHigherRankWaitsForNoneOfThem) {
  be_quick(8);
  const std::size_t in_line_before = ahead_.size();
  JobSpec urgent = cpus(4, "bob");
  urgent.priority = 1'000'000'000;
  const JobId other = lab_.submit(urgent);
  ahead_.clear();
  // Those in line go on; no more are added while somebody else is next.
  JobId job = running();
  for (std::size_t i = 0; i < in_line_before; ++i) {
    lab_.end(job);
    note(lab_.turn());
    if (lab_.state_of(other) == JobState::kRunning) break;
    job = running();
  }
  EXPECT_EQ(lab_.state_of(other), JobState::kRunning);
}

}  // namespace
}  // namespace sluice
