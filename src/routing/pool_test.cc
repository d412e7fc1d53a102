// The numbers of the seeds, and what they leave out.
#include "routing/pool.h"

#include <gtest/gtest.h>

#include "routing/routed_spec.h"
#include "routing/router.h"
#include "routing/two_accounts_for_tests.h"

namespace sluice {
namespace {

constexpr std::int64_t kGb = 1024;

TwoAccounts healthy() {
  TwoAccounts out;
  out.add("clive", 104, 812 * kGb, 3);
  out.add("maigan", 80, 625 * kGb, 2);
  return out;
}

std::vector<Pool> pools_of(TwoAccounts& cluster, const RoutingSettings& settings) {
  const Description& seen = cluster.seen();
  return find_pools(seen, settings, usual_needs(seen, settings));
}

const Pool& pool(const std::vector<Pool>& pools, const std::string& account, Device device) {
  for (const Pool& one : pools)
    if (one.account == account && one.device == device) return one;
  ADD_FAILURE() << "no pool " << account;
  return pools.front();
}

TEST(Pools, TheSeedsFormulaGives24AndWhatFitsJointly15) {
  TwoAccounts cluster = healthy();
  const auto pools = pools_of(cluster, seed_settings());
  ASSERT_EQ(pools.size(), 4U);
  EXPECT_EQ(pool(pools, "clive", Device::kGpu).at_most, 3);
  EXPECT_EQ(pool(pools, "clive", Device::kCpu).at_most, 11);
  EXPECT_EQ(pool(pools, "maigan", Device::kGpu).at_most, 2);
  EXPECT_EQ(pool(pools, "maigan", Device::kCpu).at_most, 8);
  std::int64_t apart = 0;
  std::int64_t jointly = 0;
  for (const Pool& one : pools) {
    apart += one.now;
    jointly += one.now_jointly;
  }
  EXPECT_EQ(apart, 24);
  EXPECT_EQ(jointly, 15);
  EXPECT_EQ(pool(pools, "clive", Device::kGpu).now_jointly, 3);
  EXPECT_EQ(pool(pools, "clive", Device::kCpu).now_jointly, 5);
  EXPECT_EQ(pool(pools, "maigan", Device::kCpu).now_jointly, 5);
}

// clive 312.5 GB, of which a neighbour holds 256: neither 125 GB nor 62.5 GB fit.
TwoAccounts incident(std::int64_t neighbour_gpus) {
  TwoAccounts out;
  out.add("clive", 40, 320000, 1);
  out.add("maigan", 80, 640000, 2);
  out.hold("drew", "clive", 4, 262144, neighbour_gpus);
  return out;
}

TEST(Pools, ANeighboursMemoryFillsAPoolWithOrWithoutAGpu) {
  for (const std::int64_t gpus : {0, 1}) {
    TwoAccounts cluster = incident(gpus);
    RoutingSettings settings = seed_settings();
    settings.gpu.memory_mb = 125 * kGb;
    settings.cpu.memory_mb = 64000;
    const auto pools = pools_of(cluster, settings);
    const Pool& clive = pool(pools, "clive", Device::kGpu);
    EXPECT_EQ(clive.now, 0) << gpus;
    EXPECT_EQ(clive.at_most, 1);
    ASSERT_TRUE(clive.tightest);
    EXPECT_EQ(clive.tightest->name, "clive");
    if (gpus == 0) {
      EXPECT_EQ(clive.tightest->reason.tres, kTresMem);
      EXPECT_EQ(clive.tightest->reason.limit, 320000);
      EXPECT_EQ(clive.tightest->reason.used, 262144);
      EXPECT_EQ(clive.tightest->reason.asked, 128000);
      EXPECT_EQ(clive.room_by, instant_at(seconds(3600)));
    }
    EXPECT_EQ(pool(pools, "clive", Device::kCpu).now, 0);
    EXPECT_EQ(pool(pools, "maigan", Device::kGpu).now, 2);
    ASSERT_EQ(clive.holders.size(), 1U);
    EXPECT_EQ(clive.holders.front().user, "drew");
    EXPECT_EQ(clive.others[kTresMem], 262144);
    EXPECT_EQ(clive.mine[kTresMem], 0);
  }
}

TEST(Pools, LimitFactorMultipliesTheLimitsOfAssociations) {
  TwoAccounts cluster = healthy();
  const auto clive = cluster.policy.find_account("clive");
  cluster.policy.associations[clive->index()].group.tres.put(kTresGpu, 1);
  cluster.policy.qos[cluster.policy.find_qos("clive")->index()].group.tres = {};
  EXPECT_EQ(pool(pools_of(cluster, seed_settings()), "clive", Device::kGpu).now, 1);
  cluster.policy.qos[cluster.policy.find_qos("clive")->index()].limit_factor_millionths = 2'500'000;
  EXPECT_EQ(pool(pools_of(cluster, seed_settings()), "clive", Device::kGpu).now, 2);
}

// Slurm counts UsageFactor once a job runs, and in what it asks for only with UsageFactorSafe.
TEST(Pools, UsageFactorCountsInRunMinutesOfWhatRuns) {
  const auto tasks = [](std::int64_t factor_millionths) {
    TwoAccounts cluster = healthy();
    Qos& qos = cluster.policy.qos[cluster.policy.find_qos("clive")->index()];
    qos.group.tres = {};
    qos.group.tres_run_minutes.put(kTresNode, 40);
    qos.usage_factor_millionths = factor_millionths;
    RoutingSettings settings = seed_settings();
    settings.cpu.time_limit = std::chrono::minutes(10);
    return pool(pools_of(cluster, settings), "clive", Device::kCpu).now;
  };
  EXPECT_EQ(tasks(1'000'000), 4);
  EXPECT_EQ(tasks(2'000'000), 2);
  EXPECT_EQ(tasks(500'000), 7);
}

TEST(Pools, APartitionThatTakesOthersAloneHasNoRoom) {
  const auto gpus = [](auto change) {
    TwoAccounts cluster = healthy();
    cluster.description.partition_rules.resize(cluster.policy.partitions.size());
    change(cluster);
    return pool(pools_of(cluster, seed_settings()), "clive", Device::kGpu).now;
  };
  EXPECT_EQ(gpus([](TwoAccounts&) {}), 3);
  EXPECT_EQ(gpus([](TwoAccounts& c) { c.description.partition_rules[0].root_only = true; }), 0);
  EXPECT_EQ(gpus([](TwoAccounts& c) { c.description.partition_rules[0].needs_reservation = true; }),
            0);
  const auto in_group = [&](const std::string& group) {
    return gpus([&](TwoAccounts& c) {
      c.policy.partitions[0].allow_groups = {"ml"};
      c.policy.users.emplace_back().name = "alice";
      c.policy.users.back().groups = {group};
    });
  };
  EXPECT_EQ(in_group("ml"), 3);
  EXPECT_EQ(in_group("bio"), 0);
}

TEST(Pools, LicensesAreSharedByAll) {
  TwoAccounts cluster = healthy();
  cluster.policy.licenses = {{"matlab", 7}};
  const auto room = [&](std::int64_t taken) {
    cluster.description.licenses_taken = {taken};
    JobSpec spec;
    spec.licenses = {{"matlab", 2}};
    const Description& seen = cluster.seen();
    const auto pools =
        find_pools(seen, seed_settings(), needs_of(spec, "cpu", seed_settings(), seen));
    return pool(pools, "clive", Device::kCpu);
  };
  EXPECT_EQ(room(0).now, 3);
  EXPECT_EQ(room(5).now, 1);
  const Pool none = room(6);
  EXPECT_EQ(none.now, 0);
  ASSERT_TRUE(none.tightest);
  EXPECT_EQ(none.tightest->reason.rule, Rule::kLicenses);
}

// As slurmctld 22.05 does; partitions that do not take the account or the QoS are no hindrance.
TEST(Pools, OneShutPartitionOfSeveralRefusesTheJobUnlessLimitsOfPartitionsAreNotEnforced) {
  const auto gpus = [](EnforcePartLimits enforce, std::size_t shut) {
    TwoAccounts cluster = healthy();
    cluster.policy.jobs.enforce_part_limits = enforce;
    cluster.policy.partitions.push_back(cluster.policy.partitions[0]);
    cluster.policy.partitions.back().name = "other";
    cluster.policy.partitions.back().is_default = false;
    cluster.description.partition_rules.resize(cluster.policy.partitions.size());
    cluster.description.partition_rules[shut == 0 ? 0 : cluster.policy.partitions.size() - 1]
        .root_only = true;
    RoutingSettings settings = seed_settings();
    settings.gpu.partitions = {cluster.policy.partitions[0].name, "other"};
    return pool(pools_of(cluster, settings), "clive", Device::kGpu).now;
  };
  EXPECT_EQ(gpus(EnforcePartLimits::kAny, 0), 0);
  EXPECT_EQ(gpus(EnforcePartLimits::kAny, 1), 0);
  EXPECT_EQ(gpus(EnforcePartLimits::kAll, 1), 0);
  EXPECT_EQ(gpus(EnforcePartLimits::kNo, 0), 0) << "the first one decides";
  EXPECT_EQ(gpus(EnforcePartLimits::kNo, 1), 3);
}

TEST(Pools, PartitionsThatKeepTheUserOutAreNotChosen) {
  TwoAccounts cluster = healthy();
  cluster.policy.partitions.push_back(cluster.policy.partitions[0]);
  cluster.policy.partitions.back().name = "roots";
  cluster.policy.partitions.back().is_default = false;
  cluster.description.partition_rules.resize(cluster.policy.partitions.size());
  EXPECT_EQ(partitions_for(Device::kGpu, cluster.seen(), {}).size(), 2U);
  cluster.description.partition_rules.back().root_only = true;
  EXPECT_EQ(partitions_for(Device::kGpu, cluster.seen(), {}).size(), 1U);
  cluster.description.partition_rules.back().root_only = false;
  cluster.description.partition_rules.back().needs_reservation = true;
  EXPECT_EQ(partitions_for(Device::kGpu, cluster.seen(), {}).size(), 1U);
}

TEST(Pools, AHiddenPartitionIsChosenOnlyByName) {
  TwoAccounts cluster = healthy();
  cluster.policy.partitions.push_back(cluster.policy.partitions[0]);
  cluster.policy.partitions.back().name = "secret";
  cluster.policy.partitions.back().is_default = false;
  cluster.description.partition_rules.resize(cluster.policy.partitions.size());
  EXPECT_EQ(partitions_for(Device::kGpu, cluster.seen(), {}).size(), 2U);
  cluster.description.partition_rules.back().is_hidden = true;
  EXPECT_EQ(partitions_for(Device::kGpu, cluster.seen(), {}).size(), 1U);
  RoutingSettings settings = seed_settings();
  settings.gpu.partitions = {"secret"};
  EXPECT_EQ(pool(pools_of(cluster, settings), "clive", Device::kGpu).now, 3);
}

TEST(Pools, CpusAndMemoryComeWithGpus) {
  TwoAccounts cluster = healthy();
  cluster.policy.partitions[0].with_gpu = {60, 10};
  TaskNeed need;
  auto request = std::make_shared<JobSpec>();
  request->gpus = {{GpusPer::kNode, "", 1}};
  need.request = request;
  const Description& seen = cluster.seen();
  const Seat seat{*seen.policy->find_association("clive", "alice", ""),
                  seen.policy->find_qos("clive"),
                  {PartitionId(0)}};
  EXPECT_EQ(Books::held(seen).room(seat, need).fits, 1) << "of 104 CPUs";
  request->cpus_per_task = 1;
  EXPECT_EQ(Books::held(seen).room(seat, need).fits, 3) << "what the job says comes first";
}

TEST(Pools, JobsThatShareCpusHaveSeveralLayersOfThem) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[cluster.policy.find_qos("clive")->index()].group.tres = {};
  Partition& partition = cluster.policy.partitions[1];
  partition.oversubscribe = OverSubscribe::kForce;
  partition.oversubscribe_jobs = 2;
  TaskNeed need;
  need.cpus = 96;
  need.memory_mb = 10;
  need.nodes = 1;
  const auto fits = [&] {
    const Description& seen = cluster.seen();
    const Seat seat{*seen.policy->find_association("clive", "alice", ""),
                    seen.policy->find_qos("clive"),
                    {PartitionId(1)}};
    return Books::held(seen).room(seat, need).fits;
  };
  EXPECT_EQ(fits(), 8) << "two nodes of 192 CPUs, each twice";
  cluster.hold("drew", "clive", 96, 100, 0);
  cluster.description.jobs.back().nodes = {"c2"};
  cluster.description.nodes[2].free_cpus -= 96;
  EXPECT_EQ(fits(), 7);
  cluster.description.jobs.back().partition = "hpg-b200";
  EXPECT_EQ(fits(), 4) << "jobs that do not share never meet those that do";
}

TEST(Pools, WhatOthersLetWaitHoldsNothing) {
  TwoAccounts cluster = healthy();
  cluster.hold("drew", "clive", 8, 180 * kGb, 1, JobState::kPending, 500, "Priority");
  const auto pools = pools_of(cluster, seed_settings());
  EXPECT_EQ(pool(pools, "clive", Device::kGpu).now, 3);
}

TEST(Pools, MyOwnThatWaitForTheirTurnComeFirst) {
  TwoAccounts cluster = healthy();
  cluster.hold("alice", "clive", 8, 180 * kGb, 1, JobState::kPending, 2, "Priority");
  cluster.hold("alice", "maigan", 8, 180 * kGb, 1, JobState::kPending, 2, "Dependency");
  const auto pools = pools_of(cluster, seed_settings());
  EXPECT_EQ(pool(pools, "clive", Device::kGpu).now, 1);
  EXPECT_EQ(pool(pools, "maigan", Device::kGpu).now, 2);
}

TEST(Pools, WhatWaitingTasksWillTakeIsToldApartFromWhatIsHeld) {
  TwoAccounts cluster = healthy();
  cluster.hold("drew", "clive", 8, 180 * kGb, 1);
  cluster.hold("alice", "clive", 8, 180 * kGb, 1, JobState::kPending, 2, "Priority");
  const auto pools = pools_of(cluster, seed_settings());
  const Pool& gpu = pool(pools, "clive", Device::kGpu);
  ASSERT_EQ(gpu.now, 0);
  ASSERT_TRUE(gpu.tightest);
  EXPECT_EQ(gpu.tightest->reason.tres, kTresGpu);
  EXPECT_EQ(gpu.tightest->reason.used, 3);
  EXPECT_EQ(gpu.tightest->awaited, 2);
}

TEST(Pools, EveryLimitUpTheTreeBinds) {
  TwoAccounts cluster = healthy();
  cluster.policy.associations[0].group.jobs = 6;
  cluster.hold("drew", "maigan", 1, 100, 0);
  const auto pools = pools_of(cluster, seed_settings());
  const Pool& cpu = pool(pools, "clive", Device::kCpu);
  EXPECT_EQ(cpu.now, 5);
  EXPECT_EQ(cpu.tightest->reason.rule, Rule::kGrpJobs);
  EXPECT_EQ(cpu.tightest->name, "root");
}

TEST(Pools, AQosHidesTheAssociationsInTheDimensionsItSets) {
  TwoAccounts cluster = healthy();
  Association& clive = cluster.policy.associations[cluster.policy.find_account("clive")->index()];
  clive.group.tres.put(kTresGpu, 1);
  clive.max_jobs = 2;
  const auto pools = pools_of(cluster, seed_settings());
  EXPECT_EQ(pool(pools, "clive", Device::kGpu).now, 2);  // By MaxJobs; the QoS says 3 GPUs.
}

TEST(Pools, ThePartitionsQosComesFirst) {
  TwoAccounts cluster = healthy();
  Qos part;
  part.name = "part";
  part.group.tres.put(kTresCpu, 16);
  part.user.max_jobs = 1;
  cluster.policy.qos.push_back(part);
  cluster.description.qos.emplace_back();
  cluster.policy.partitions[1].qos = QosId(2);
  const auto pools = pools_of(cluster, seed_settings());
  const Pool& cpu = pool(pools, "clive", Device::kCpu);
  EXPECT_EQ(cpu.now, 1);
  EXPECT_EQ(cpu.tightest->reason.holder, LimitHolder::kPartitionQos);
  EXPECT_EQ(pool(pools, "clive", Device::kGpu).now, 3);
}

TEST(Pools, NodesBoundWhatLimitsWouldAllow) {
  TwoAccounts cluster = healthy();
  cluster.description.nodes[0].usable = false;
  cluster.description.nodes[1].free_gpus.resize(1);
  const auto pools = pools_of(cluster, seed_settings());
  const Pool& gpu = pool(pools, "clive", Device::kGpu);
  EXPECT_EQ(gpu.now, 1);
  EXPECT_EQ(gpu.tightest->kind, Bound::Kind::kNodes);
  EXPECT_EQ(pool(pools, "maigan", Device::kGpu).now_jointly, 0);  // The node is shared.
}

TEST(Pools, BlockedAndBurstAccountsAreLeftOut) {
  TwoAccounts cluster = healthy();
  cluster.add("clive-b", 1000, 8000 * kGb, 20);
  RoutingSettings settings = seed_settings();
  settings.blocked.push_back({"maigan", "OOM kills", "2026-04-08", "2026-10-01"});
  const auto pools = pools_of(cluster, settings);
  EXPECT_EQ(pool(pools, "clive-b", Device::kCpu).left_out, LeftOut::kBurst);
  EXPECT_EQ(pool(pools, "maigan", Device::kGpu).left_out, LeftOut::kBlocked);
  EXPECT_EQ(pool(pools, "maigan", Device::kGpu).block->reason, "OOM kills");
  EXPECT_EQ(pool(pools, "maigan", Device::kGpu).now_jointly, 0);
}

TEST(Pools, SubmitLimitsBoundWhatMayBeSubmitted) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[0].user.max_submit_jobs = 10;
  const auto pools = pools_of(cluster, seed_settings());
  const Pool& cpu = pool(pools, "clive", Device::kCpu);
  EXPECT_EQ(cpu.submittable, 10);
  EXPECT_EQ(cpu.now, 10);
}

TEST(Pools, ATaskLargerThanTheLimitNeverFits) {
  TwoAccounts cluster = incident(0);
  RoutingSettings settings = seed_settings();
  settings.gpu.memory_mb = 400000;
  const auto pools = pools_of(cluster, settings);
  const Pool& gpu = pool(pools, "clive", Device::kGpu);
  EXPECT_EQ(gpu.at_most, 0);
  EXPECT_EQ(gpu.tightest->kind, Bound::Kind::kAlone);
}

TEST(TaskNeeds, AJobsRequestIsCountedAsSlurmDoes) {
  JobSpec spec;
  spec.min_nodes = 2;
  spec.tasks_per_node = 4;
  spec.cpus_per_task = 2;
  spec.memory = MemoryRequest{MemoryPer::kCpu, 1000};
  spec.gpus = {{GpusPer::kNode, "b200", 2}};
  const TaskNeed need = need_of(spec);
  EXPECT_EQ(need.cpus, 16);
  EXPECT_EQ(need.memory_mb, 16000);
  EXPECT_EQ(need.gpus, 4);
  EXPECT_EQ(need.gpu_type, "b200");
}

TEST(TaskNeeds, OnCpusATaskTakesFiveTimesAsLong) {
  const RoutingSettings settings = seed_settings();
  JobSpec job;
  job.gpus = {{GpusPer::kNode, "", 1}};
  job.cpus_per_task = 8;
  job.memory = MemoryRequest{MemoryPer::kNode, 180 * kGb};
  job.time_limit = minutes(60);
  const JobSpec cpu = spec_on(Device::kCpu, job, settings);
  EXPECT_TRUE(cpu.gpus.empty());
  EXPECT_EQ(cpu.memory, (MemoryRequest{MemoryPer::kNode, 48 * kGb}));
  EXPECT_EQ(cpu.time_limit, minutes(300));
  EXPECT_EQ(cpu.partitions, std::vector<std::string>{"hpg-default"});
}

TEST(TaskNeeds, AJobWithoutGpusGetsNoneUnlessADeviceIsWanted) {
  TwoAccounts cluster = healthy();
  const RoutingSettings settings = seed_settings();
  JobSpec job;
  job.cpus_per_task = 1;
  job.memory = MemoryRequest{MemoryPer::kNode, 1000};
  const TaskNeeds plain = needs_of(job, "", settings, cluster.seen());
  EXPECT_FALSE(plain.gpu);
  ASSERT_TRUE(plain.cpu);
  EXPECT_EQ(plain.cpu->memory_mb, 1000);
  const TaskNeeds any = needs_of(job, "any", settings, cluster.seen());
  ASSERT_TRUE(any.gpu);
  EXPECT_EQ(any.gpu->gpus, 1);
  EXPECT_EQ(any.gpu->cpus, 1);          // As asked for,
  EXPECT_EQ(any.gpu->memory_mb, 1000);  // not as the settings' shape.
  job.cpus_per_task.reset();
  job.memory.reset();
  const TaskNeeds open = needs_of(job, "gpu", settings, cluster.seen());
  EXPECT_FALSE(open.cpu);
  EXPECT_EQ(open.gpu->cpus, 8);
  EXPECT_EQ(open.gpu->memory_mb, 180 * kGb);
}

TEST(TaskNeeds, AGpuJobStaysOnGpusUnlessAnyDeviceWillDo) {
  TwoAccounts cluster = healthy();
  JobSpec job;
  job.gpus = {{GpusPer::kNode, "", 1}};
  EXPECT_FALSE(needs_of(job, "", seed_settings(), cluster.seen()).cpu);
  EXPECT_TRUE(needs_of(job, "any", seed_settings(), cluster.seen()).cpu);
}

TEST(Pools, OnlyTheAccountsAskedForAreCounted) {
  TwoAccounts cluster = healthy();
  cluster.description.nodes.resize(4);
  for (NodeRoom& node : cluster.description.nodes) node.free_cpus = 8;  // One task a node.
  TaskNeeds needs = usual_needs(cluster.seen(), seed_settings());
  needs.accounts = {" Maigan "};
  const auto pools = find_pools(cluster.seen(), seed_settings(), needs);
  ASSERT_EQ(pools.size(), 2U);
  EXPECT_EQ(pools[1].account, "maigan");
  EXPECT_EQ(pools[1].now_jointly, pools[1].now);
  EXPECT_GT(pools[1].now, 0);
}

TEST(Pools, ATaskThatNoNodeCouldHoldNeverFits) {
  TwoAccounts cluster = healthy();
  JobSpec job;
  job.memory = MemoryRequest{MemoryPer::kNode, 9000 * kGb};
  cluster.description.nodes[3].usable = false;  // May come back, and is still too small.
  cluster.policy.qos[0].group.tres = {};
  const auto pools = find_pools(cluster.seen(), seed_settings(),
                                needs_of(job, "", seed_settings(), cluster.seen()));
  for (const Pool& one : pools) EXPECT_TRUE(one.never()) << one.account;
  EXPECT_EQ(route(pools, {}).verdicts[0], PoolVerdict::kNever);
}

TEST(Pools, AShareOfTheCpusNeverRefusesASingleTaskThatFits) {
  TwoAccounts cluster = healthy();
  RoutingSettings settings = seed_settings();
  settings.cpu.cpus = 80;
  settings.cpu.memory_mb = 1000;
  const auto pools = pools_of(cluster, settings);
  EXPECT_EQ(pool(pools, "maigan", Device::kCpu).now, 1);  // 80 of 80; the share is 68.
}

// The number of CPU tasks of clive, where one task asks for one CPU and 1 GB.
std::int64_t cpu_tasks(TwoAccounts& cluster, RoutingSettings settings = {}) {
  settings.cpu.partitions = {"hpg-default"};
  settings.cpu.memory_mb = kGb;
  settings.cpu_percent = 100;
  const Description& seen = cluster.seen();
  return pool(find_pools(seen, settings, usual_needs(seen, settings)), "clive", Device::kCpu).now;
}

TEST(Pools, MaxJobsPerAccountCountsBesideThePartitionsMaxJobsPerUser) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[0].account.max_jobs = 3;
  Qos part;
  part.name = "part";
  part.user.max_jobs = 10;
  cluster.policy.qos.push_back(part);
  cluster.description.qos.emplace_back();
  cluster.policy.partitions[1].qos = QosId(2);
  EXPECT_EQ(cpu_tasks(cluster), 3);
}

TEST(Pools, AnAssociationsMaxJobsIsHiddenByAQosThatCountsJobsOfAccounts) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[0].account.max_jobs = 9;
  cluster.policy.associations[cluster.policy.find_account("clive")->index()].max_jobs = 2;
  EXPECT_EQ(cpu_tasks(cluster), 9);
}

TEST(Pools, NodesOfAGroupAreCountedOnce) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[0].group.tres = {};
  cluster.policy.qos[0].group.tres.put(kTresNode, 1);
  EXPECT_EQ(cpu_tasks(cluster), 192);  // All of one node, none of the other.
  cluster.policy.qos[0].group.tres = {};
  cluster.policy.qos[0].user.max_tres.put(kTresNode, 1);
  EXPECT_EQ(cpu_tasks(cluster), 192);
}

TEST(Pools, ResourceMinutesOfOneJobAreALimit) {
  TwoAccounts cluster = healthy();
  RoutingSettings settings;
  settings.cpu.time_limit = minutes(61);
  cluster.policy.qos[0].job.max_tres_minutes.put(kTresCpu, 60);
  EXPECT_EQ(cpu_tasks(cluster, settings), 0);
  settings.cpu.time_limit = minutes(60);
  EXPECT_EQ(cpu_tasks(cluster, settings), 104);
  cluster.policy.qos[0].job = {};
  cluster.policy.associations[1].job.max_tres_minutes.put(kTresCpu, 59);
  EXPECT_EQ(cpu_tasks(cluster, settings), 0);
}

TEST(Pools, MaxCpusPerNodeIsOfAllJobsOfThePartition) {
  TwoAccounts cluster = healthy();
  cluster.policy.partitions[1].max_cpus_per_node = 10;
  EXPECT_EQ(cpu_tasks(cluster), 20);
  HeldJob job;
  job.user = "drew";
  job.partition = "hpg-default";
  job.tres[kTresCpu] = 4;
  job.nodes = {"c2"};
  cluster.description.jobs.push_back(job);
  cluster.description.nodes[2].free_cpus -= 4;
  EXPECT_EQ(cpu_tasks(cluster), 16);
}

TEST(Pools, MemoryBeyondMaxMemPerCpuTakesMoreCpus) {
  TwoAccounts cluster = healthy();
  cluster.policy.partitions[1].max_mem_per_cpu_mb = kGb / 4;
  EXPECT_EQ(cpu_tasks(cluster), 26);  // 4 CPUs each of 104.
}

TEST(Pools, AnExclusivePartitionGivesWholeNodes) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[0].group.tres = {};
  cluster.policy.partitions[1].oversubscribe = OverSubscribe::kExclusive;
  EXPECT_EQ(cpu_tasks(cluster), 2);
}

TEST(Pools, ATaskThatNamesNoMemoryTakesAllOfANodeWhereThereIsNoDefault) {
  TwoAccounts cluster = healthy();
  cluster.policy.qos[0].group.tres = {};
  RoutingSettings settings;
  settings.cpu.partitions = {"hpg-default"};
  const Description& seen = cluster.seen();
  const auto pools = find_pools(seen, settings, usual_needs(seen, settings));
  EXPECT_EQ(pool(pools, "clive", Device::kCpu).now, 2);
}

TEST(Pools, ReservationsKeepNodesFromTasksThatWouldStillRunThen) {
  TwoAccounts cluster = healthy();
  RoutingSettings settings;
  settings.cpu.time_limit = minutes(60);
  const Instant now = cluster.description.as_of;
  cluster.policy.qos[0].group.tres = {};
  KeptNodes kept{"maint", now + minutes(30), now + minutes(90), {NodeId(2)}, 0};
  cluster.description.kept = {kept};
  EXPECT_EQ(cpu_tasks(cluster, settings), 192);
  settings.cpu.time_limit = minutes(30);
  EXPECT_EQ(cpu_tasks(cluster, settings), 384);
  cluster.description.kept[0].start = now - minutes(1);
  EXPECT_EQ(cpu_tasks(cluster, settings), 192);
  cluster.description.kept[0].end = now;
  EXPECT_EQ(cpu_tasks(cluster, settings), 384);
}

}  // namespace
}  // namespace sluice
