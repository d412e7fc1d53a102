#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"

namespace sluice {
namespace {

TEST(Timers, AWakeUpNeverLiesInThePast) {
  Policy policy = small_policy();
  policy.priority.type = PriorityType::kMultifactor;
  Lab lab(policy);
  lab.pass(minutes(60));  // Nothing to calculate, for longer than a period.
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  ASSERT_TRUE(lab.turn().wake_at.has_value());
  EXPECT_GE(*lab.turn().wake_at, lab.now());
}

TEST(Timers, ARunIsEndedWhenItsLimitAndTheGraceOfTheClusterAreOver) {
  Policy policy = small_policy();
  policy.jobs.over_time_limit = minutes(2);
  Lab lab(policy);
  const JobId job = lab.submit(cpus(1));
  lab.pass(minutes(11));
  lab.submit(cpus(1));  // Something happens meanwhile.
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
  lab.wait(minutes(1));
  EXPECT_EQ(lab.state_of(job), JobState::kCompleting);
  lab.obey();
  EXPECT_EQ(lab.state_of(job), JobState::kTimeout);
}

TEST(Timers, ALimitLoweredBelowWhatHasRunEndsTheRunAtOnce) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.pass(minutes(5));
  JobChange change;
  change.time_limit = minutes(3);
  lab.give(UpdateJob{{job, {}}, change, kRoot});
  lab.obey();
  EXPECT_EQ(lab.state_of(job), JobState::kTimeout);
}

TEST(Timers, ANewLimitOfASuspendedRunCountsOnceItRunsOn) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.give(SuspendJob{{job, {}}, kRoot});
  JobChange change;
  change.time_limit = minutes(3);
  lab.give(UpdateJob{{job, {}}, change, kRoot});
  lab.pass(minutes(30));
  lab.give(ResumeJob{{job, {}}, kRoot});
  EXPECT_EQ(lab.state().run_of(lab.job(job)).expected_end, lab.now() + minutes(3));
}

TEST(Timers, WhoeverWaitsForAStartStartsInTheSameTurn) {
  for (SchedulerType type :
       {SchedulerType::kBuiltin, SchedulerType::kEasy, SchedulerType::kBackfill}) {
    Policy policy = small_policy();
    policy.scheduler.type = type;
    Lab lab(policy);
    JobSpec held = cpus(1);
    held.hold = true;
    const JobId first = lab.submit(held);
    JobSpec after = cpus(1);
    after.dependencies.terms = {{DependencyType::kAfter, first, {}, Duration(0)}};
    const JobId second = lab.submit(after);
    lab.give(ReleaseJob{{first, {}}, kRoot});
    EXPECT_EQ(lab.state_of(first), JobState::kRunning);
    EXPECT_EQ(lab.state_of(second), JobState::kRunning);
  }
}

TEST(Timers, ABeginTimeWakesTheEngine) {
  Lab lab;
  JobSpec spec = cpus(1);
  spec.begin = lab.now() + minutes(7);
  const JobId job = lab.submit(spec);
  EXPECT_EQ(lab.why(job), Rule::kBeginTime);
  EXPECT_EQ(lab.turn().wake_at, spec.begin);
  lab.wait(minutes(7));
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
}

TEST(Timers, AJobIsForgottenAWhileAfterItsEnd) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.end(job);
  lab.pass(lab.state().policy().jobs.min_job_age);
  lab.give(Tick{});
  EXPECT_EQ(lab.state().find_job(job), nullptr);
}

TEST(Timers, ASignalThatWasAskedForComesOnceBeforeTheLimit) {
  Lab lab;
  JobSpec spec = cpus(1);
  spec.launch.signal = WarningSignal{10, seconds(90), true};
  const JobId job = lab.submit(spec);
  lab.wait(minutes(8));
  lab.give(Tick{});
  EXPECT_TRUE(lab.turn().orders.empty());
  lab.pass(seconds(30));
  lab.give(Tick{});
  ASSERT_EQ(lab.turn().orders.size(), 1U);
  const auto& order = std::get<SignalJob>(lab.turn().orders.front());
  EXPECT_EQ(order.job, job);
  EXPECT_EQ(order.signal, 10);
  EXPECT_TRUE(order.batch_shell_only);
  lab.pass(seconds(30));
  lab.give(Tick{});
  EXPECT_TRUE(lab.turn().orders.empty());
}

TEST(Timers, TheSignalWaitsWhileTheJobIsSuspended) {
  Lab lab;
  JobSpec spec = cpus(1);
  spec.launch.signal = WarningSignal{10, seconds(60), false};
  const JobId job = lab.submit(spec);
  lab.give(SuspendJob{{job, {}}, kRoot});
  lab.wait(minutes(30));
  EXPECT_EQ(lab.state().awaiting_signal().count(job), 1U);
  lab.give(ResumeJob{{job, {}}, kRoot});
  lab.wait(minutes(9));
  EXPECT_TRUE(lab.state().awaiting_signal().empty());
}

}  // namespace
}  // namespace sluice
