// The numbers of the seeds, and what they leave out.
#include "routing/pool.h"

#include <gtest/gtest.h>

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
  const TaskNeed need = need_of(spec, std::nullopt, std::nullopt);
  EXPECT_EQ(need.cpus, 16);
  EXPECT_EQ(need.memory_mb, 16000);
  EXPECT_EQ(need.gpus, 4);
  EXPECT_EQ(need.gpu_type, "b200");
}

TEST(TaskNeeds, OnCpusATaskTakesFiveTimesAsLong) {
  const RoutingSettings settings = seed_settings();
  TaskNeed job;
  job.gpus = 1;
  job.cpus = 8;
  job.memory_mb = 180 * kGb;
  job.time_limit = minutes(60);
  const auto cpu = need_on(Device::kCpu, settings, job);
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->gpus, 0);
  EXPECT_EQ(cpu->memory_mb, 48 * kGb);
  EXPECT_EQ(cpu->time_limit, minutes(300));
  EXPECT_EQ(cpu->partitions, std::vector<std::string>{"hpg-default"});
}

}  // namespace
}  // namespace sluice
