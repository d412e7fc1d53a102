// Each part of the priority, and how they are added.
#include "policy/priority.h"

#include <gtest/gtest.h>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

PriorityParts parts(const Past& past, JobId job, PartitionId partition = PartitionId(0)) {
  Fairshare fairshare;
  compute_fairshare(past.state(), fairshare);
  const PriorityContext context = priority_context(past.state());
  const PriorityParts found =
      priority_of(past.state(), context, fairshare, past.state().job(job), partition, past.now());
  const Job& one = past.state().job(job);
  const PrioritySettings& settings = past.state().policy().priority;
  // What the queue keeps of those that stand in it.
  if (one.state == JobState::kPending && one.eligible && one.held == HeldBy::kNobody &&
      settings.type == PriorityType::kMultifactor) {
    const Instant since = settings.accrue_always ? one.submitted : one.eligible_since;
    PriorityTerms terms =
        priority_terms(past.state(), context, past.state().shape_of_job(one), partition);
    fill_fairshare(settings, fairshare, terms);
    EXPECT_EQ(priority_total(terms, AgeScale(settings, past.now()).part(to_seconds(since))),
              found.total)
        << "one by one and in the queue must agree";
  }
  return found;
}

PolicyBuilder one_account() {
  PolicyBuilder b;
  b.account("a", "root", 1).user("ann", "a", 1).user("bob", "a", 1);
  return b;
}

JobSpec by(const std::string& user) { return Past::request(user, "a"); }

TEST(Priority, AgeGrowsInWholeSecondsFromWhenTheJobBecameEligible) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_age = 1000;
  b.policy().priority.max_age = seconds(100);
  Past past(b.policy());
  past.pass(seconds(5));
  JobSpec later = by("ann");
  later.begin = past.now() + seconds(20);
  const JobId job = past.submit(later);
  past.pass(seconds(20));
  EXPECT_EQ(parts(past, job).age, 0);
  EXPECT_EQ(parts(past, job).total, 1) << "0 is for held jobs";
  past.apply(JobBecameEligible{job});
  past.pass(Duration(50'999));
  EXPECT_EQ(parts(past, job).age, 500);
  EXPECT_EQ(parts(past, job).total, 500);
  past.pass(seconds(1000));
  EXPECT_EQ(parts(past, job).age, 1000);
}

TEST(Priority, AgeGrowsFromTheSubmissionWithAccrueAlways) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_age = 1000;
  b.policy().priority.max_age = seconds(100);
  b.policy().priority.accrue_always = true;
  Past past(b.policy());
  const JobId job = past.submit(by("ann"));
  past.pass(seconds(20));
  EXPECT_EQ(parts(past, job).age, 200);
}

TEST(Priority, FairshareIsTheUsersFactor) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_fairshare = 1000;
  Past past(b.policy());
  past.use("ann", "a", 10);
  EXPECT_EQ(parts(past, past.submit(by("ann"))).fairshare, 500);
  EXPECT_EQ(parts(past, past.submit(by("bob"))).fairshare, 1000);
}

// Two nodes of 4 CPUs; half the nodes and a quarter of the CPUs.
TEST(Priority, JobSizeIsTheMeanOfNodesAndCpus) {
  PolicyBuilder b = one_account();
  b.node("n2", 4, 1000);
  b.policy().priority.weight_job_size = 1000;
  JobSpec spec = by("ann");
  spec.cpus_per_task = 2;
  {
    Past past(b.policy());
    EXPECT_EQ(parts(past, past.submit(spec)).job_size, 375);
  }
  b.policy().priority.favor_small = true;
  {
    Past past(b.policy());
    EXPECT_EQ(parts(past, past.submit(spec)).job_size, 625);
  }
}

// "A full-system job with a time limit of one will receive a job size factor of 1.0":
// priority_multifactor.html.
TEST(Priority, JobSizeRelativeToTime) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_job_size = 1000;
  b.policy().priority.small_relative_to_time = true;
  Past past(b.policy());
  JobSpec spec = by("ann");
  spec.cpus_per_task = 4;
  spec.time_limit = minutes(1);
  EXPECT_EQ(parts(past, past.submit(spec)).job_size, 1000);
  spec.time_limit = minutes(10);
  EXPECT_EQ(parts(past, past.submit(spec)).job_size, 100);
  spec.time_limit.reset();
  EXPECT_LT(parts(past, past.submit(spec)).job_size, 0.001) << "the partition has no limit";
}

TEST(Priority, PartitionQosAndAssociationAreMeasuredAgainstTheHighest) {
  PolicyBuilder b = one_account();
  Policy& policy = b.policy();
  policy.priority.weight_partition = 1000;
  policy.priority.weight_qos = 1000;
  policy.priority.weight_assoc = 1000;
  b.partition("fast", {NodeId(0)}).priority_job_factor = 4;
  b.qos("normal", 0).qos("low", 10).qos("high", 40);
  policy.associations[1].priority = 3;   // Account a, and so ann.
  policy.associations[3].priority = 12;  // bob
  JobSpec spec = by("ann");
  spec.qos = "low";
  {
    Past past(policy);
    const JobId job = past.submit(spec);
    EXPECT_EQ(parts(past, job).partition, 250);
    EXPECT_EQ(parts(past, job, PartitionId(1)).partition, 1000);
    EXPECT_EQ(parts(past, job).qos, 250);
    EXPECT_EQ(parts(past, job).assoc, 250);
    EXPECT_EQ(parts(past, past.submit(by("bob"))).assoc, 1000);
    EXPECT_EQ(parts(past, job).total, 750);
  }
  policy.priority.no_normal_part = true;
  policy.priority.no_normal_qos = true;
  policy.priority.no_normal_assoc = true;
  {
    Past past(policy);
    const JobId job = past.submit(spec);
    EXPECT_EQ(parts(past, job, PartitionId(1)).partition, 4000);
    EXPECT_EQ(parts(past, job).qos, 10'000);
    EXPECT_EQ(parts(past, job).assoc, 3000);
  }
}

TEST(Priority, TresAreMeasuredAgainstThePartition) {
  PolicyBuilder b = one_account();
  Policy& policy = b.policy();
  b.node("g1", 16, 3000).gpus.resize(4);
  b.partition("gpu", {NodeId(1)});
  policy.priority.weight_tres = {
      {kTresGpu, 3'000'000'000}, {kTresCpu, 1'000'000'000}, {kTresMem, -600'000'000}};
  JobSpec spec = by("ann");
  spec.partitions = {"gpu"};
  spec.cpus_per_task = 4;
  spec.memory = MemoryRequest{MemoryPer::kNode, 1000};
  spec.gpus = {{GpusPer::kNode, "", 1}};
  {
    Past past(policy);
    const PriorityParts found = parts(past, past.submit(spec), PartitionId(1));
    EXPECT_DOUBLE_EQ(found.tres, 250 - 200 + 750);
    EXPECT_EQ(found.total, 800);
  }
  policy.priority.no_normal_tres = true;
  {
    Past past(policy);
    const JobId job = past.submit(spec);
    EXPECT_EQ(parts(past, job, PartitionId(1)).tres, 4 * 1000 - 600.0 * 1000 + 3000);
    EXPECT_EQ(parts(past, job, PartitionId(1)).total, 1) << "never below 1";
  }
}

TEST(Priority, GivesWhatSprioShowed) {
  Past past(recorded_cluster().policy());
  use_as_recorded(past);
  struct Shown {
    const char* user;
    const char* account;
    std::vector<std::string> partitions;
    const char* qos;
    int cpus, memory, nodes, gpus, nice, age;
    // One for each partition.
    std::vector<std::int64_t> priority;
  };
  const Shown shown[] = {
      {"alice", "phys", {"main"}, "normal", 1, 10, 1, 0, 0, 23, {5554}},
      {"bob", "phys", {"main"}, "normal", 1, 10, 1, 0, 0, 23, {9237}},
      {"charlie", "sub", {"main"}, "normal", 1, 10, 1, 0, 0, 23, {7220}},
      {"dave", "chem", {"main"}, "normal", 1, 10, 1, 0, 0, 23, {4887}},
      {"alice", "phys", {"main"}, "q10", 8, 80, 1, 0, 0, 22, {5989}},
      {"alice", "phys", {"main"}, "q50", 32, 10'000, 2, 0, 0, 22, {8756}},
      {"alice", "phys", {"main"}, "q100", 4, 1000, 1, 2, 0, 22, {7543}},
      {"alice", "phys", {"fast"}, "normal", 1, 10, 1, 0, 0, 22, {6303}},
      {"alice", "phys", {"two"}, "normal", 1, 10, 1, 0, 0, 22, {5361}},
      {"alice", "phys", {"main"}, "normal", 1, 10, 1, 0, 50, 22, {5503}},
      {"alice", "phys", {"main", "fast"}, "normal", 1, 10, 1, 0, 0, 22, {5553, 6303}},
      {"alice", "phys", {"main"}, "normal", 4, 40, 1, 0, 0, 22, {5697}},
  };
  for (const Shown& want : shown) {
    JobSpec spec = Past::request(want.user, want.account);
    spec.partitions = want.partitions;
    spec.qos = want.qos;
    spec.cpus_per_task = want.cpus / want.nodes;
    spec.min_nodes = want.nodes;
    spec.memory = MemoryRequest{MemoryPer::kNode, want.memory / want.nodes};
    if (want.gpus > 0) spec.gpus = {{GpusPer::kNode, "", want.gpus}};
    spec.nice = want.nice;
    const JobId job = past.submit(spec);
    past.pass(seconds(want.age));
    for (std::size_t i = 0; i < want.partitions.size(); ++i)
      EXPECT_EQ(parts(past, job, *past.state().policy().find_partition(want.partitions[i])).total,
                want.priority[i])
          << want.user << " " << want.partitions[i] << " " << want.qos << " " << want.cpus;
  }
}

TEST(Priority, NiceIsTakenAwayAndTheTotalStaysWithin32Bits) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_partition = 1000;
  Past past(b.policy());
  JobSpec spec = by("ann");
  spec.nice = 300;
  EXPECT_EQ(parts(past, past.submit(spec)).total, 700);
  spec.nice = -300;
  EXPECT_EQ(parts(past, past.submit(spec)).total, 1300);
  spec.nice = 2'147'483'645;
  EXPECT_EQ(parts(past, past.submit(spec)).total, 1);
  b.policy().priority.weight_partition = 4'294'967'295;
  Past heavy(b.policy());
  spec.nice = -2'147'483'645;
  EXPECT_EQ(parts(heavy, heavy.submit(spec)).total, 4'294'967'295);
}

TEST(Priority, OneThatAnAdministratorSetStays) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_partition = 1000;
  Past past(b.policy());
  JobSpec spec = by("ann");
  spec.priority = 77;
  spec.nice = 10;
  const PriorityParts found = parts(past, past.submit(spec));
  EXPECT_EQ(found.total, 77);
  EXPECT_EQ(found.partition, 0);
}

TEST(Priority, AHeldJobHasNone) {
  PolicyBuilder b = one_account();
  b.policy().priority.weight_partition = 1000;
  Past past(b.policy());
  const JobId job = past.submit(by("ann"));
  EXPECT_EQ(parts(past, job).total, 1000);
  past.apply(JobHeld{job, HeldBy::kUser});
  EXPECT_EQ(parts(past, job).total, 0);
}

TEST(Priority, BasicCountsDownInOrderOfSubmission) {
  PolicyBuilder b = one_account();
  b.policy().priority.type = PriorityType::kBasic;
  b.policy().jobs.first_job_id = 100;
  Past past(b.policy());
  EXPECT_EQ(parts(past, past.submit(by("ann"))).total, 4'294'901'759);
  EXPECT_EQ(parts(past, past.submit(by("bob"))).total, 4'294'901'758);
  JobSpec nice = by("bob");
  nice.nice = 100;
  EXPECT_EQ(parts(past, past.submit(nice)).total, 4'294'901'657);
}

}  // namespace
}  // namespace sluice
