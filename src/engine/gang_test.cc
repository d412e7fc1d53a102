// Jobs that share CPUs by turns, as slurmctld 22.05.8 was seen to let them.
#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"

namespace sluice {
namespace {

// One node of four CPUs, OverSubscribe=FORCE:2, slices of ten seconds.
Policy shared_by_two() {
  Policy policy = small_policy();
  policy.nodes.pop_back();
  policy.partitions[0].nodes = {NodeId(0)};
  policy.partitions[0].oversubscribe = OverSubscribe::kForce;
  policy.partitions[0].oversubscribe_jobs = 2;
  policy.preemption.gang = true;
  policy.preemption.time_slice = seconds(10);
  return policy;
}

// "RRS": the state of each job.
std::string states(const Lab& lab, const std::vector<JobId>& jobs) {
  std::string out;
  for (JobId job : jobs)
    out += lab.state_of(job) == JobState::kPending   ? 'P'
           : lab.state_of(job) == JobState::kRunning ? 'R'
                                                     : 'S';
  return out;
}

TEST(Gang, WhoFindsNoFreeCpuWaitsForHisTurnAndOthersGoOn) {
  Lab lab(shared_by_two());
  std::vector<JobId> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(lab.submit(cpus(1)));
  EXPECT_EQ(states(lab, jobs), "RRRRSS");
  lab.wait(seconds(20));
  EXPECT_EQ(states(lab, jobs), "SSRRRR");
  lab.wait(seconds(10));
  EXPECT_EQ(states(lab, jobs), "RRRRSS");
}

TEST(Gang, BothLayersFullTheNextWaits) {
  Lab lab(shared_by_two());
  for (int i = 0; i < 8; ++i) lab.submit(cpus(1));
  EXPECT_EQ(lab.why(lab.submit(cpus(1))), Rule::kResources);
}

TEST(Gang, ALargeJobAndFourSmallOnesAlternate) {
  Lab lab(shared_by_two());
  std::vector<JobId> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(lab.submit(cpus(1)));
  jobs.push_back(lab.submit(cpus(4)));
  EXPECT_EQ(states(lab, jobs), "RRRRS");
  lab.wait(seconds(20));
  EXPECT_EQ(states(lab, jobs), "SSSSR");
  lab.wait(seconds(10));
  EXPECT_EQ(states(lab, jobs), "RRRRS");
}

TEST(Gang, WhoWaitsForHisTurnKeepsHisMemory) {
  Lab lab(shared_by_two());
  JobSpec spec = cpus(4);
  spec.memory = MemoryRequest{MemoryPer::kNode, 2500};
  lab.submit(spec);
  EXPECT_EQ(lab.why(lab.submit(spec)), Rule::kResources);
}

TEST(Gang, WhereOneEndsTheOtherRunsAtOnce) {
  Lab lab(shared_by_two());
  const JobId first = lab.submit(cpus(4));
  const JobId second = lab.submit(cpus(4));
  EXPECT_EQ(states(lab, {first, second}), "RS");
  lab.end(first);
  EXPECT_EQ(lab.state_of(second), JobState::kRunning);
  EXPECT_EQ(lab.state().run_of(lab.job(second)).suspended_for, Duration(0));
}

TEST(Gang, NobodyStaysSuspendedWhenTurnsAreAbolished) {
  Policy policy = shared_by_two();
  Lab lab(policy);
  lab.submit(cpus(4));
  const JobId second = lab.submit(cpus(4));
  policy.preemption.gang = false;
  lab.give(AdoptPolicy{std::make_shared<const Policy>(policy)});
  EXPECT_EQ(lab.state_of(second), JobState::kRunning);
  EXPECT_EQ(lab.state().broken_invariant(), "");
}

}  // namespace
}  // namespace sluice
