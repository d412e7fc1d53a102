// What becomes of jobs that wait for others.
#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"

namespace sluice {
namespace {

JobSpec waits_for(std::vector<Dependency> terms) {
  JobSpec spec = cpus(1);
  spec.dependencies.terms = std::move(terms);
  return spec;
}
Dependency on(DependencyType type, JobId job, Duration delay = Duration(0)) {
  return {type, job, {}, delay};
}

struct Fate {
  DependencyType type;
  JobState end;
  Rule why;  // kNone: it runs.
};

TEST(Dependencies, EachKindHasItsFate) {
  constexpr Rule kNever = Rule::kDependencyNeverSatisfied;
  for (const Fate& fate : {Fate{DependencyType::kAfterOk, JobState::kCompleted, Rule::kNone},
                           Fate{DependencyType::kAfterOk, JobState::kFailed, kNever},
                           Fate{DependencyType::kAfterNotOk, JobState::kFailed, Rule::kNone},
                           Fate{DependencyType::kAfterNotOk, JobState::kCompleted, kNever},
                           Fate{DependencyType::kAfterAny, JobState::kFailed, Rule::kNone}}) {
    Lab lab;
    const JobId first = lab.submit(cpus(1));
    const JobId second = lab.submit(waits_for({on(fate.type, first)}));
    EXPECT_EQ(lab.why(second), Rule::kDependency);
    lab.end(first, fate.end);
    EXPECT_EQ(lab.state_of(second),
              fate.why == Rule::kNone ? JobState::kRunning : JobState::kPending);
    EXPECT_EQ(lab.why(second), fate.why);
  }
}

TEST(Dependencies, AllTermsOrOneOfThem) {
  for (bool any : {false, true}) {
    Lab lab;
    const JobId bad = lab.submit(cpus(1));
    const JobId good = lab.submit(cpus(1));
    JobSpec spec =
        waits_for({on(DependencyType::kAfterOk, bad), on(DependencyType::kAfterOk, good)});
    spec.dependencies.any = any;
    const JobId job = lab.submit(spec);
    lab.end(bad, JobState::kFailed);
    EXPECT_EQ(lab.why(job), any ? Rule::kDependency : Rule::kDependencyNeverSatisfied);
    lab.end(good);
    EXPECT_EQ(lab.state_of(job), any ? JobState::kRunning : JobState::kPending);
  }
}

TEST(Dependencies, AfterCountsMinutesFromTheStart) {
  Lab lab;
  const JobId first = lab.submit(cpus(1));
  const JobId second = lab.submit(waits_for({on(DependencyType::kAfter, first, minutes(3))}));
  EXPECT_EQ(lab.turn().wake_at, lab.now() + minutes(3));
  lab.wait(minutes(3));
  EXPECT_EQ(lab.state_of(second), JobState::kRunning);
}

TEST(Dependencies, OfTwoTermsThatComeTrueByTimeTheLaterWakesTheEngineToo) {
  Lab lab;
  const JobId first = lab.submit(cpus(1));
  const JobId second = lab.submit(waits_for({on(DependencyType::kAfter, first, minutes(1)),
                                             on(DependencyType::kAfter, first, minutes(3))}));
  lab.pass(minutes(2));
  lab.give(Tick{});
  lab.wait(minutes(1));
  EXPECT_EQ(lab.state_of(second), JobState::kRunning);
}

TEST(Dependencies, WhatNobodyRemembersIsWaitedForByNobody) {
  Lab lab;
  EXPECT_EQ(lab.state_of(lab.submit(waits_for({on(DependencyType::kAfterOk, JobId(77))}))),
            JobState::kRunning);
}

TEST(Dependencies, AnArrayIsOverWhenItsLastTaskIs) {
  Lab lab;
  JobSpec spec = cpus(1);
  spec.array.emplace();
  spec.array->indices.insert_range(1, 2);
  const JobId array = lab.submit(spec);
  const JobId any = lab.submit(waits_for({on(DependencyType::kAfterAny, array)}));
  const JobId ok = lab.submit(waits_for({on(DependencyType::kAfterOk, array)}));
  Dependency one = on(DependencyType::kAfterOk, array);
  one.task = 1;
  const JobId after_one = lab.submit(waits_for({one}));
  lab.end(lab.state().find_task(array, 1)->id);
  EXPECT_EQ(lab.state_of(after_one), JobState::kRunning);
  EXPECT_EQ(lab.why(any), Rule::kDependency);
  lab.end(array, JobState::kFailed);
  EXPECT_EQ(lab.state_of(any), JobState::kRunning);
  EXPECT_EQ(lab.why(ok), Rule::kDependencyNeverSatisfied);
}

TEST(Dependencies, WhatCanNeverStartIsCancelledWhereThePolicySaysSo) {
  Policy policy = small_policy();
  policy.scheduler.kill_invalid_depend = true;
  Lab lab(policy);
  const JobId first = lab.submit(cpus(1));
  const JobId second = lab.submit(waits_for({on(DependencyType::kAfterOk, first)}));
  lab.end(first, JobState::kFailed);
  EXPECT_EQ(lab.state_of(second), JobState::kCancelled);
}

}  // namespace
}  // namespace sluice
