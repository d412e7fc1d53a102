// Limits: the words of a table measured on slurmctld 22.05.8, and who hides whom.
#include "policy/limits.h"

#include <gtest/gtest.h>

#include <functional>

#include "policy/gates.h"
#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// Two nodes of 8 CPUs and 4 GPUs, root > lab > team > ann and bob, the job QoS "jobq" and the
// partition's "partq".
class Limits : public ::testing::Test {
 protected:
  Limits() {
    Policy& p = policy();
    p.nodes[0] = Node{"n1", 8, 1, 1, 4000, std::vector<Gpu>(4), {}, 1};
    p.nodes.push_back(p.nodes[0]);
    p.nodes[1].name = "n2";
    p.partitions[0].nodes = {NodeId(0), NodeId(1)};
    b_.qos("jobq", 0).qos("partq", 0);
    p.partitions[0].qos = QosId(1);
    b_.account("lab", "root", 1).account("team", "lab", 1);
    b_.user("ann", "team", 1).user("bob", "team", 1);
    spec_.user = "ann";
    spec_.account = "team";
    spec_.qos = "jobq";
    spec_.partitions = {"all"};
    spec_.time_limit = minutes(10);
  }

  Policy& policy() { return b_.policy(); }
  Qos& jobq() { return policy().qos[0]; }
  Qos& partq() { return policy().qos[1]; }
  Association& lab() { return policy().associations[1]; }
  Association& team() { return policy().associations[2]; }
  Association& ann() { return policy().associations[3]; }

  // The policy is complete; from here on it is in force.
  Past& past() {
    if (!past_) past_.emplace(policy());
    return *past_;
  }
  JobId run(const JobSpec& spec) {
    const JobId id = past().submit(spec);
    const Shape& shape = past().state().shape_of_job(past().state().job(id));
    Allocation allocation;
    for (std::int32_t n = 0; n < shape.min_nodes; ++n) {
      NodeShare share;
      share.node = NodeId(static_cast<std::uint32_t>(n));
      share.cpus = static_cast<std::int32_t>(shape.asked[kTresCpu] / shape.min_nodes);
      share.memory_mb = shape.asked[kTresMem] / shape.min_nodes;
      share.gpus = (std::uint64_t{1} << (shape.asked[kTresGpu] / shape.min_nodes)) - 1;
      allocation.add(share);
    }
    past().apply(JobStarted{id, 1, PartitionId(0), allocation});
    return id;
  }
  Shape shape(const JobSpec& spec) {
    Past& p = past();
    const auto user = p.state().find_user(spec.user);
    return shape_of(p.state().policy(), std::make_shared<const JobSpec>(spec),
                    user.value_or(UserId(99)));
  }
  std::string word(const std::optional<Reason>& reason) {
    return reason ? slurm_word(*reason, past().state().policy().tres) : "-";
  }
  std::optional<Reason> stops(const JobSpec& spec) {
    const Shape s = shape(spec);
    const State& state = past().state();
    if (auto r = limit_before_placement(state, s, PartitionId(0), s.limit, past().now())) return r;
    return limit_after_placement(state, s, PartitionId(0), s.limit, s.asked, past().now());
  }
  std::string waits_with(const JobSpec& spec) { return word(stops(spec)); }
  std::string refused_with(const JobSpec& spec, std::int64_t tasks = 1) {
    return word(limit_at_submission(past().state(), shape(spec), tasks));
  }
  void forget() { past_.reset(); }

  PolicyBuilder b_;
  JobSpec spec_;
  std::optional<Past> past_;
};

TresLimits only(TresIndex tres, std::int64_t amount) {
  TresLimits limits;
  limits.put(tres, amount);
  return limits;
}

struct Kind {
  TresIndex tres;
  const char* grp_qos;
  const char* grp_assoc;
  const char* job_qos;
  const char* job_assoc;
  const char* user;
  const char* account;
  const char* min;
};
// MaxTRESPerNode and the minutes have words of their own, in the test below.
constexpr Kind kKinds[] = {
    {kTresCpu, "QOSGrpCpuLimit", "AssocGrpCpuLimit", "QOSMaxCpuPerJobLimit",
     "AssocMaxCpuPerJobLimit", "QOSMaxCpuPerUserLimit", "MaxCpuPerAccount",
     "QOSMinCpuNotSatisfied"},
    {kTresMem, "QOSGrpMemLimit", "AssocGrpMemLimit", "QOSMaxMemoryPerJob", "AssocMaxMemPerJob",
     "QOSMaxMemoryPerUser", "MaxMemoryPerAccount", "QOSMinMemory"},
    {kTresNode, "QOSGrpNodeLimit", "AssocGrpNodeLimit", "QOSMaxNodePerJobLimit",
     "AssocMaxNodePerJobLimit", "QOSMaxNodePerUserLimit", "MaxNodePerAccount", "QOSMinNode"},
    {kTresBilling, "QOSGrpBilling", "AssocGrpBilling", "QOSMaxBillingPerJob",
     "AssocMaxBillingPerJob", "QOSMaxBillingPerUser", "MaxBillingPerAccount", "QOSMinBilling"},
    {kTresGpu, "QOSGrpGRES", "AssocGrpGRES", "QOSMaxGRESPerJob", "AssocMaxGRESPerJob",
     "QOSMaxGRESPerUser", "MaxGRESPerAccount", "QOSMinGRES"},
};

JobSpec asks(JobSpec spec, std::int32_t nodes, std::int32_t cpus) {
  spec.min_nodes = nodes;
  spec.tasks = nodes;
  spec.cpus_per_task = cpus;
  spec.memory = MemoryRequest{MemoryPer::kCpu, 100};
  spec.gpus = {GpuRequest{GpusPer::kNode, "", cpus}};
  return spec;
}

TEST_F(Limits, CountANodeOnce) {
  jobq().group.tres = only(kTresNode, 1);
  const JobSpec one = asks(spec_, 1, 1);
  run(one);
  const Shape second = shape(one);
  const auto on = [&](std::uint32_t node) {
    NodeShare share;
    share.node = NodeId(node);
    const Allocation allocation(share);
    return word(limit_after_placement(past().state(), second, PartitionId(0), second.limit,
                                      second.asked, past().now(), &allocation));
  };
  EXPECT_EQ(on(0), "-");
  EXPECT_EQ(on(1), "QOSGrpNodeLimit");
}

TEST_F(Limits, OfOneKindAreNamedAsSlurmNamesThem) {
  using Set = std::function<void(const TresLimits&)>;
  for (const Kind& kind : kKinds) {
    const std::pair<Set, const char*> rows[] = {
        {[&](auto& l) { jobq().group.tres = l; }, kind.grp_qos},
        {[&](auto& l) { partq().group.tres = l; }, kind.grp_qos},
        {[&](auto& l) { ann().group.tres = l; }, kind.grp_assoc},
        {[&](auto& l) { team().group.tres = l; }, kind.grp_assoc},
        {[&](auto& l) { lab().group.tres = l; }, kind.grp_assoc},
        {[&](auto& l) { jobq().job.max_tres = l; }, kind.job_qos},
        {[&](auto& l) { partq().job.max_tres = l; }, kind.job_qos},
        {[&](auto& l) { ann().job.max_tres = l; }, kind.job_assoc},
        {[&](auto& l) { lab().job.max_tres = l; }, kind.job_assoc},
        {[&](auto& l) { jobq().user.max_tres = l; }, kind.user},
        {[&](auto& l) { partq().user.max_tres = l; }, kind.user},
        {[&](auto& l) { jobq().account.max_tres = l; }, kind.account},
        {[&](auto& l) { partq().account.max_tres = l; }, kind.account},
    };
    for (const auto& [set, expected] : rows) {
      const Policy before = policy();
      const JobSpec one = asks(spec_, 1, 1);
      const JobSpec more = asks(spec_, 2, 2);
      const std::int64_t fits = shape(one).asked[kind.tres];
      forget();
      set(only(kind.tres, fits));
      EXPECT_EQ(waits_with(one), "-");
      EXPECT_EQ(waits_with(more), expected);
      EXPECT_EQ(refused_with(more), "-") << "without DenyOnLimit it waits";
      run(one);
      const std::string word = expected;
      const bool alone = word == kind.job_qos || word == kind.job_assoc;
      EXPECT_EQ(waits_with(one), alone ? "-" : expected);
      forget();
      jobq().flags.deny_on_limit = true;
      EXPECT_EQ(refused_with(more), expected);
      EXPECT_EQ(refused_with(one), "-");
      run(one);
      EXPECT_EQ(refused_with(one), "-") << "with others it waits";
      forget();
      policy() = before;
    }
    jobq().job.min_tres = only(kind.tres, 100'000);
    EXPECT_EQ(waits_with(asks(spec_, 1, 1)), kind.min);
    EXPECT_EQ(refused_with(asks(spec_, 1, 1)), "-");
    forget();
    partq().flags.deny_on_limit = true;
    EXPECT_EQ(refused_with(asks(spec_, 1, 1)), kind.min);
    forget();
    jobq().job = {};
    partq().flags = {};
  }
}

TEST_F(Limits, PerNodeDividesByTheNodes) {
  jobq().job.max_tres_node = only(kTresCpu, 2);
  EXPECT_EQ(waits_with(asks(spec_, 2, 2)), "-");
  EXPECT_EQ(waits_with(asks(spec_, 1, 3)), "QOSMaxCpuPerNode");
}

TEST_F(Limits, OfTheAssociationPerNodeAndPerMinuteAreInherited) {
  lab().job.max_tres_node = only(kTresMem, 250);
  EXPECT_EQ(waits_with(asks(spec_, 2, 2)), "-");
  EXPECT_EQ(waits_with(asks(spec_, 1, 3)), "AssocMaxMemPerNode");
  forget();
  lab().job.max_tres_minutes = only(kTresCpu, 29);
  EXPECT_EQ(waits_with(asks(spec_, 1, 3)), "AssocMaxCpuMinutesPerJobLimit");
}

TEST_F(Limits, OnMinutesCountAWholeJobAndTheRestOfTheRunning) {
  jobq().group.tres_run_minutes = only(kTresCpu, 30);
  EXPECT_EQ(waits_with(asks(spec_, 1, 3)), "-");
  run(asks(spec_, 1, 2));
  EXPECT_EQ(waits_with(asks(spec_, 1, 2)), "QOSGrpCPURunMinutesLimit");
  past().pass(minutes(5));
  const auto reason = stops(asks(spec_, 1, 3));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->limit, 30);
  EXPECT_EQ(reason->used, 10);
  EXPECT_EQ(reason->asked, 30);
  EXPECT_EQ(waits_with(asks(spec_, 1, 2)), "-");
}

TEST_F(Limits, OnPastMinutesBindOnceUsedUpAndWithSafeBefore) {
  jobq().group.tres_minutes = only(kTresCpu, 15);
  EXPECT_EQ(waits_with(asks(spec_, 1, 3)), "-") << "without safe the job may start";
  JobSpec one = asks(spec_, 1, 1);
  const JobId job = run(one);
  past().pass(minutes(15));
  past().apply(JobEnded{job, 1, {}});
  EXPECT_EQ(waits_with(one), "QOSGrpCPUMinutesLimit");
  forget();
  policy().enforce.safe = true;
  EXPECT_EQ(waits_with(asks(spec_, 1, 2)), "QOSGrpCPUMinutesLimit");
  EXPECT_EQ(waits_with(one), "-");
  run(one);
  EXPECT_EQ(waits_with(one), "QOSGrpCPUMinutesLimit");
  forget();
  jobq().usage_factor_millionths = 2'000'000;
  EXPECT_EQ(waits_with(one), "-");
  forget();
  jobq().flags.usage_factor_safe = true;
  EXPECT_EQ(waits_with(one), "QOSGrpCPUMinutesLimit");
}

TEST_F(Limits, OnGroupWallBindOnceUsedUpAndWithSafeBefore) {
  team().group.wall = minutes(15);
  spec_.time_limit = minutes(20);
  EXPECT_EQ(waits_with(spec_), "-");
  forget();
  policy().enforce.safe = true;
  EXPECT_EQ(waits_with(spec_), "AssocGrpWallLimit");
  spec_.time_limit = minutes(10);
  const JobId job = run(spec_);
  EXPECT_EQ(waits_with(spec_), "-");
  past().pass(minutes(6));
  past().apply(JobEnded{job, 1, {}});
  EXPECT_EQ(waits_with(spec_), "AssocGrpWallLimit");
}

TEST_F(Limits, OnJobCountsKeepTheNextOneWaiting) {
  const std::pair<std::function<void()>, const char*> rows[] = {
      {[&] { jobq().group.jobs = 1; }, "QOSGrpJobsLimit"},
      {[&] { partq().group.jobs = 1; }, "QOSGrpJobsLimit"},
      {[&] { lab().group.jobs = 1; }, "AssocGrpJobsLimit"},
      {[&] { jobq().user.max_jobs = 1; }, "QOSMaxJobsPerUserLimit"},
      {[&] { jobq().account.max_jobs = 1; }, "MaxJobsPerAccount"},
      {[&] { team().max_jobs = 1; }, "AssocMaxJobsLimit"},
  };
  jobq().flags.deny_on_limit = true;
  for (const auto& [set, expected] : rows) {
    const Policy before = policy();
    set();
    EXPECT_EQ(waits_with(spec_), "-");
    run(spec_);
    EXPECT_EQ(waits_with(spec_), expected);
    EXPECT_EQ(refused_with(spec_), "-") << "job counts never refuse";
    JobSpec bobs = spec_;
    bobs.user = "bob";
    const bool per_user = std::string(expected) == "QOSMaxJobsPerUserLimit" ||
                          std::string(expected) == "AssocMaxJobsLimit";
    EXPECT_EQ(waits_with(bobs), per_user ? "-" : expected);
    forget();
    policy() = before;
  }
}

TEST_F(Limits, OnSubmissionsRefuseAlwaysAndCountTasks) {
  const std::pair<std::function<void()>, const char*> rows[] = {
      {[&] { jobq().group.submit_jobs = 2; }, "QOSGrpSubmitJobsLimit"},
      {[&] { partq().group.submit_jobs = 2; }, "QOSGrpSubmitJobsLimit"},
      {[&] { lab().group.submit_jobs = 2; }, "AssocGrpSubmitJobsLimit"},
      {[&] { jobq().user.max_submit_jobs = 2; }, "QOSMaxSubmitJobPerUserLimit"},
      {[&] { jobq().account.max_submit_jobs = 2; }, "MaxSubmitJobsPerAccount"},
      {[&] { team().max_submit_jobs = 2; }, "AssocMaxSubmitJobLimit"},
  };
  for (const auto& [set, expected] : rows) {
    const Policy before = policy();
    set();
    EXPECT_EQ(refused_with(spec_, 2), "-");
    EXPECT_EQ(refused_with(spec_, 3), expected);
    past().submit(spec_);
    EXPECT_EQ(refused_with(spec_, 1), "-");
    EXPECT_EQ(refused_with(spec_, 2), expected);
    past().submit(spec_);
    EXPECT_EQ(refused_with(spec_, 1), expected);
    EXPECT_FALSE(limit_at_change(past().state(), shape(spec_), shape(spec_), 1))
        << "a job that is changed is not counted twice";
    forget();
    policy() = before;
  }
}

TEST_F(Limits, OnWallTimeNameTheQosOrTheAssociation) {
  jobq().job.max_wall = minutes(5);
  EXPECT_EQ(waits_with(spec_), "QOSMaxWallDurationPerJobLimit");
  const Reason reason = stops(spec_).value();
  EXPECT_EQ(reason.limit, 300);
  EXPECT_EQ(reason.asked, 600);
  EXPECT_EQ(reason.holder, LimitHolder::kJobQos);
  EXPECT_EQ(reason.holder_id, 0u);
  forget();
  jobq().job.max_wall.reset();
  lab().job.max_wall = minutes(5);
  EXPECT_EQ(waits_with(spec_), "AssocMaxWallDurationPerJobLimit");
  EXPECT_EQ(stops(spec_)->holder_id, 1u);
  EXPECT_EQ(refused_with(spec_), "-");
  forget();
  partq().flags.deny_on_limit = true;
  EXPECT_EQ(refused_with(spec_), "AssocMaxWallDurationPerJobLimit");
}

// The first that sets a limit hides those behind it, group limits too.
TEST_F(Limits, OfThePartitionQosHideThoseOfTheJobQosUnlessItIsOver) {
  const JobSpec two = asks(spec_, 1, 2);
  partq().group.tres = only(kTresCpu, 10);
  jobq().group.tres = only(kTresCpu, 1);
  EXPECT_EQ(waits_with(two), "-");
  forget();
  jobq().flags.over_part_qos = true;
  EXPECT_EQ(waits_with(two), "QOSGrpCpuLimit");
  EXPECT_EQ(stops(two)->holder, LimitHolder::kJobQos);
}

TEST_F(Limits, OfAQosHideThoseOfTheAssociationsInTheSameDimensionOnly) {
  const JobSpec two = asks(spec_, 1, 2);
  jobq().group.tres = only(kTresCpu, 10);
  team().group.tres = only(kTresCpu, 1);
  EXPECT_EQ(waits_with(two), "-");
  forget();
  team().group.tres.put(kTresMem, 5);
  EXPECT_EQ(waits_with(two), "AssocGrpMemLimit");
  forget();
  team().group.tres = only(kTresCpu, 1);
  jobq().group.tres = {};
  jobq().user.max_tres = only(kTresCpu, 10);
  EXPECT_EQ(waits_with(two), "AssocGrpCpuLimit") << "another kind of limit hides nothing";
  forget();
  jobq().group.jobs = 5;
  ann().group.jobs = 0;
  jobq().user.max_jobs = 5;
  ann().max_jobs = 0;
  jobq().job.max_wall = minutes(20);
  ann().job.max_wall = minutes(5);
  team().group.tres = {};
  EXPECT_EQ(waits_with(two), "-");
}

TEST_F(Limits, OfEveryAssociationAboveBindWhereTheyAreForGroups) {
  const JobSpec two = asks(spec_, 1, 2);
  ann().group.tres = only(kTresCpu, 10);
  lab().group.tres = only(kTresCpu, 1);
  EXPECT_EQ(waits_with(two), "AssocGrpCpuLimit");
  EXPECT_EQ(stops(two)->holder_id, 1u);
  forget();
  lab().group.tres = {};
  ann().job.max_tres = only(kTresCpu, 10);
  team().job.max_tres = only(kTresCpu, 1);
  EXPECT_EQ(waits_with(two), "-") << "the user's own value replaces the account's";
}

TEST_F(Limits, OnCountsAndWallComeBeforeThoseOnResources) {
  const JobSpec two = asks(spec_, 2, 2);
  jobq().group.tres = only(kTresCpu, 1);
  ann().max_jobs = 0;
  EXPECT_EQ(waits_with(two), "AssocMaxJobsLimit");
  forget();
  ann().max_jobs.reset();
  jobq().group.tres.put(kTresNode, 1);
  EXPECT_EQ(waits_with(two), "QOSGrpNodeLimit") << "node counts come before the other dimensions";
  forget();
  jobq().group.tres = only(kTresBilling, 1);
  jobq().group.tres.put(kTresGpu, 1);
  EXPECT_EQ(waits_with(two), "QOSGrpBilling");
}

TEST_F(Limits, ThatDenyNameTheUsersFirst) {
  jobq().flags.deny_on_limit = true;
  jobq().group.tres = only(kTresCpu, 1);
  jobq().job.max_tres = only(kTresCpu, 1);
  jobq().user.max_tres = only(kTresCpu, 1);
  jobq().job.max_wall = minutes(1);
  jobq().job.min_tres = only(kTresCpu, 50);
  EXPECT_EQ(refused_with(asks(spec_, 1, 2)), "QOSMaxCpuPerUserLimit");
}

TEST_F(Limits, DoNotStopWhoAsksForNothingOfIt) {
  jobq().group.tres = only(kTresGpu, 0);
  jobq().group.tres_minutes = only(kTresGpu, 0);
  jobq().group.tres_run_minutes = only(kTresGpu, 0);
  jobq().user.max_tres = only(kTresGpu, 0);
  EXPECT_EQ(waits_with(spec_), "-");
  EXPECT_EQ(waits_with(asks(spec_, 1, 1)), "QOSGrpGRESMinutes");
}

TEST_F(Limits, OnRunMinutesPerUserAreKeptAndNotEnforced) {
  jobq().user.max_tres_run_minutes = only(kTresCpu, 1);
  jobq().account.max_tres_run_minutes = only(kTresCpu, 1);
  EXPECT_EQ(waits_with(asks(spec_, 1, 3)), "-");
}

TEST_F(Limits, AreNotLookedAtWhereTheyAreNotEnforced) {
  jobq().group.jobs = 0;
  ann().max_submit_jobs = 0;
  policy().enforce.limits = false;
  EXPECT_EQ(waits_with(spec_), "-");
  EXPECT_EQ(refused_with(spec_), "-");
}

TEST_F(Limits, GiveTheTimeToAJobThatAsksForNone) {
  jobq().job.max_wall = minutes(30);
  team().group.wall = minutes(20);
  EXPECT_EQ(wall_from_limits(policy(), AssocId(3), QosId(0), PartitionId(0)), minutes(20));
}

TEST_F(Limits, AreListedAsGatesUpToTheEnd) {
  jobq().group.tres = only(kTresGpu, 1);
  jobq().user.max_jobs = 3;
  lab().group.tres = only(kTresCpu, 4);
  policy().partitions[0].max_time = minutes(60);
  run(asks(spec_, 1, 1));
  const JobSpec two = asks(spec_, 1, 2);
  const Shape s = shape(two);
  const auto gates = gates_of(past().state(), s, PartitionId(0), s.limit, s.asked, past().now());
  std::string text;
  for (const Gate& gate : gates)
    text += gate.name + " | " + gate.holder + " | " + std::to_string(gate.limit) + " " +
            std::to_string(gate.used) + " " + std::to_string(gate.asked) +
            (gate.passed ? "" : " stop") + "\n";
  EXPECT_EQ(text,
            "Association | user ann of team | 0 0 0\n"
            "QOS | qos jobq | 0 0 0\n"
            "State | partition all | 0 0 0\n"
            "MaxTime | partition all | 3600 0 600\n"
            "MaxJobsPerUser | qos jobq | 3 1 1\n"
            "GrpTRES gres/gpu | qos jobq | 1 1 2 stop\n"
            "GrpTRES cpu | account lab | 4 1 2\n");
}

}  // namespace
}  // namespace sluice
