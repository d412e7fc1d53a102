// Requests that no cluster could mean: refused before anything is counted or divided by them.
#include <gtest/gtest.h>

#include <limits>

#include "engine/engine_for_tests.h"
#include "engine/inputs.h"

namespace sluice {
namespace {

const Actor kAnn{"ann", false};
constexpr const char* kQueueFull = "Resource temporarily unavailable";

JobSpec array_of(std::uint32_t tasks) {
  JobSpec spec = cpus(1);
  spec.hold = true;
  spec.array.emplace();
  spec.array->indices.insert_range(1, tasks);
  return spec;
}

JobSpec held() {
  JobSpec spec = cpus(1);
  spec.hold = true;
  return spec;
}

TEST(Bounds, NoRequestAsksForLessThanNothing) {
  Lab lab;
  JobSpec spec = cpus(-4);
  EXPECT_EQ(message_of(lab.give(SubmitJob{spec})),
            "cpus_per_task: -4 is not between 1 and 2147483647");
  spec = cpus(1);
  spec.memory = MemoryRequest{MemoryPer::kNode, -90'000};
  EXPECT_NE(message_of(lab.give(SubmitJob{spec})), "");
  spec = cpus(1);
  spec.time_limit = seconds(-1);
  EXPECT_NE(message_of(lab.give(SubmitJob{spec})), "");
  EXPECT_EQ(lab.state().job_count(), 0U);
}

TEST(Bounds, MemoryTimesCpusDoesNotOverflow) {
  Policy policy = small_policy();
  policy.jobs.max_mem_per_cpu_mb = 1;
  for (const EnforcePartLimits enforce : {EnforcePartLimits::kNo, EnforcePartLimits::kAll}) {
    policy.jobs.enforce_part_limits = enforce;
    Lab lab(policy);
    for (const std::int64_t mb :
         {std::int64_t{1} << 32, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()})
      for (const std::int32_t count : {1, 1 << 16, std::numeric_limits<std::int32_t>::max()})
        for (const MemoryPer per : {MemoryPer::kNode, MemoryPer::kCpu, MemoryPer::kGpu}) {
          JobSpec spec = cpus(count);
          spec.memory = MemoryRequest{per, mb};
          const JobId job = lab.submit(spec);
          if (job != JobId{}) {
            EXPECT_EQ(lab.state_of(job), JobState::kPending);
          }
        }
    EXPECT_EQ(lab.state().broken_invariant(), "");
  }
}

TEST(Bounds, AChangeIsCheckedLikeASubmission) {
  Lab lab;
  const JobId waits = lab.submit(held());
  const JobId runs = lab.submit(cpus(1));
  ASSERT_EQ(lab.state_of(runs), JobState::kRunning);
  for (const JobId job : {waits, runs}) {
    JobChange change;
    change.time_limit = seconds(-1);
    EXPECT_NE(message_of(lab.give(UpdateJob{{job, {}}, change, kAnn})), "");
    change = {};
    change.comment = std::string(1'000'000, 'x');
    EXPECT_NE(message_of(lab.give(UpdateJob{{job, {}}, change, kAnn})), "");
  }
  JobChange change;
  change.memory = MemoryRequest{MemoryPer::kNode, -1};
  EXPECT_NE(message_of(lab.give(UpdateJob{{waits, {}}, change, kAnn})), "");
  change = {};
  change.tasks = -1;
  EXPECT_NE(message_of(lab.give(UpdateJob{{waits, {}}, change, kAnn})), "");
  EXPECT_EQ(lab.state_of(runs), JobState::kRunning);
}

// A request may have megabytes: a change of each task of an array must not copy it for each.
TEST(Bounds, TasksThatAreChangedAlikeShareOneRequest) {
  Lab lab;
  const JobId array = lab.submit(array_of(20));
  const SpecId before = lab.state().next_spec_id();
  JobChange change;
  change.comment = "the same";
  for (std::uint32_t task = 1; task <= 10; ++task)
    EXPECT_EQ(message_of(lab.give(UpdateJob{{array, task}, change, kAnn})), "");
  EXPECT_EQ(lab.state().next_spec_id().value(), before.value() + 1);
  const Job& first = *lab.state().find_task(array, 1);
  const Job& second = *lab.state().find_task(array, 2);
  EXPECT_EQ(first.spec, second.spec);
  EXPECT_EQ(lab.state().shape_of_job(second).request->comment, "the same");
  // Changed as it is already, by itself, and in another way.
  EXPECT_EQ(message_of(lab.give(UpdateJob{{array, 1}, change, kAnn})), "");
  change.comment = "another";
  EXPECT_EQ(message_of(lab.give(UpdateJob{{array, 1}, change, kAnn})), "");
  EXPECT_EQ(message_of(lab.give(UpdateJob{{array, 1}, change, kAnn})), "");
  EXPECT_EQ(lab.state().shape_of_job(*lab.state().find_task(array, 1)).request->comment, "another");
  EXPECT_EQ(lab.state().shape_of_job(*lab.state().find_task(array, 2)).request->comment,
            "the same");
  EXPECT_EQ(lab.state().broken_invariant(), "");
}

// As a real slurmctld with MaxJobCount=6: five jobs and tasks are taken.
TEST(Bounds, MaxJobCountCountsTasksAndIsNeverReached) {
  Policy policy = small_policy();
  policy.jobs.max_job_count = 6;
  Lab lab(policy);
  for (int i = 0; i < 3; ++i) EXPECT_NE(lab.submit(held()), JobId{});
  EXPECT_EQ(message_of(lab.give(SubmitJob{array_of(3)})), kQueueFull);
  const JobId array = lab.submit(array_of(2));
  EXPECT_NE(array, JobId{});
  EXPECT_EQ(message_of(lab.give(SubmitJob{held()})), kQueueFull);
  // A task with a record of its own is still one.
  lab.give(ReleaseJob{{array, {}}, kAnn});
  EXPECT_EQ(message_of(lab.give(SubmitJob{held()})), kQueueFull);
  lab.give(CancelJob{{array, {}}, kAnn});
  lab.obey();
  EXPECT_EQ(message_of(lab.give(SubmitJob{held()})), kQueueFull) << "ended jobs are remembered";
  lab.wait(policy.jobs.min_job_age + seconds(1));
  EXPECT_NE(lab.submit(held()), JobId{});
}

TEST(Bounds, CopiesEndWhereTheQueueIsFull) {
  Policy policy = small_policy();
  policy.jobs.max_job_count = 6;
  Lab lab(policy);
  const Reply reply = lab.give(SubmitJob{held(), 100});
  ASSERT_TRUE(std::holds_alternative<Submitted>(reply));
  EXPECT_EQ(std::get<Submitted>(reply).count, 5U);
  EXPECT_EQ(lab.state().job_count(), 5U);
}

}  // namespace
}  // namespace sluice
