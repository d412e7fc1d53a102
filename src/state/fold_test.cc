#include "state/fold.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// Node n1 with four CPUs, 1000 MB and two GPUs; ann in account lab.
Policy one_node() {
  Policy policy;
  Node& node = policy.nodes.emplace_back();
  node.name = "n1";
  node.cpus = 4;
  node.memory_mb = 1000;
  node.gpus.resize(2);
  Partition& partition = policy.partitions.emplace_back();
  partition.name = "all";
  partition.nodes = {NodeId(0)};
  policy.associations.resize(3);
  policy.associations[0].account = "root";
  policy.associations[1].account = "lab";
  policy.associations[1].parent = AssocId(0);
  policy.associations[2] = policy.associations[1];
  policy.associations[2].user = "ann";
  policy.associations[2].parent = AssocId(1);
  return policy;
}

class Fold : public ::testing::Test {
 protected:
  Fold() { apply(PolicyAdopted{std::make_shared<const Policy>(one_node())}); }
  template <class Body>
  void apply(Body body) {
    state_.apply(Event{now_, std::move(body)});
    EXPECT_EQ(state_.broken_invariant(), "");
  }
  JobId submit() {
    JobSpec spec;
    spec.user = "ann";
    spec.account = "lab";
    spec.partitions = {"all"};
    spec.time_limit = minutes(10);
    const SpecId id = state_.next_spec_id();
    apply(SpecDefined{id, std::make_shared<const JobSpec>(spec), false});
    const JobId job = state_.next_job_id();
    apply(JobSubmitted{job, id, {}});
    return job;
  }
  // Two CPUs, 300 MB and the first GPU.
  JobId start() {
    const JobId job = submit();
    NodeShare share;
    share.cpus = 2;
    share.memory_mb = 300;
    share.gpus = 1;
    apply(JobStarted{job, 1, PartitionId(0), Allocation(share)});
    return job;
  }
  const NodeUse& node() const { return state_.nodes().front(); }
  const Holding& lab() const { return state_.usage(AssocId(1)).now; }

  State state_;
  Instant now_ = instant_at(seconds(100));
};

TEST_F(Fold, AJobHoldsWhatItGotUntilItHasEnded) {
  const JobId job = start();
  EXPECT_EQ(node().cpus_taken, 2);
  EXPECT_EQ(lab().tres[kTresCpu], 2);
  EXPECT_EQ(lab().submitted, 1);
  apply(JobEnding{job, JobState::kCancelled, false, {}});
  EXPECT_EQ(node().cpus_taken, 2);
  apply(JobEnded{job, 1, Outcome{.state = JobState::kCancelled}});
  EXPECT_EQ(node().cpus_taken, 0);
  EXPECT_EQ(lab(), Holding{});
}

TEST_F(Fold, ASuspendedJobLendsItsCpusAndKeepsMemoryAndGpus) {
  const JobId job = start();
  apply(JobSuspended{job, SuspendedBy::kPreemption, JobId(9)});
  EXPECT_EQ(node().cpus_taken, 0);
  EXPECT_EQ(node().memory_taken, 300);
  EXPECT_EQ(node().gpus_taken, 1U);
  now_ += minutes(5);
  apply(JobResumed{job});
  EXPECT_EQ(node().cpus_taken, 2);
  EXPECT_EQ(state_.run_of(state_.job(job)).expected_end, now_ + minutes(10));
}

TEST_F(Fold, OneThatIsEndedWhileSuspendedDoesNotTakeItsCpusBack) {
  const JobId job = start();
  apply(JobSuspended{job, SuspendedBy::kPreemption, JobId(9)});
  apply(JobEnding{job, JobState::kCancelled, false, {}});
  EXPECT_EQ(node().cpus_taken, 0);
  apply(JobEnded{job, 1, Outcome{.state = JobState::kCancelled}});
  EXPECT_EQ(node().cpus_suspended, 0);
}

TEST_F(Fold, WhatRunsStandsInTheBooksOfANewPolicyUnderItsNewNumbers) {
  start();
  Policy policy = one_node();
  Node other = policy.nodes.front();
  other.name = "n0";
  policy.nodes.insert(policy.nodes.begin(), other);
  policy.partitions[0].nodes = {NodeId(0), NodeId(1)};
  apply(PolicyAdopted{std::make_shared<const Policy>(policy)});
  EXPECT_EQ(state_.nodes()[0].cpus_taken, 0);
  EXPECT_EQ(state_.nodes()[1].cpus_taken, 2);
  EXPECT_EQ(lab().tres[kTresGpu], 1);
}

TEST_F(Fold, WhatComesBackWaitsAgainAndKeepsItsAge) {
  const JobId job = start();
  now_ += minutes(1);
  apply(JobEnded{job, 1, Outcome{.state = JobState::kNodeFail}});
  apply(JobRequeued{job, now_ + minutes(2), false});
  EXPECT_EQ(state_.pending_count(), 1U);
  EXPECT_EQ(state_.begins().begin()->second, job);
  now_ += minutes(2);
  apply(JobBecameEligible{job});
  EXPECT_EQ(state_.job(job).eligible_since, instant_at(seconds(100)));
}

using FoldDeathTest = Fold;

TEST_F(FoldDeathTest, ImpossibleFactsStopTheProgram) {
  const JobId job = start();
  EXPECT_DEATH(apply(JobStarted{job, 2, PartitionId(0), {}}), "kPending");
  EXPECT_DEATH(apply(JobResumed{job}), "kSuspended");
  EXPECT_DEATH(apply(JobEnded{job, 7, {}}), "attempt");
  now_ -= seconds(1);
  EXPECT_DEATH(apply(PrioritiesCalculated{}), "time runs backwards");
}

}  // namespace
}  // namespace sluice
