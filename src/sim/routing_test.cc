// The scenes of tests/slurm/routing in virtual time: the same routing, another cluster behind it.
#include <gtest/gtest.h>

#include <map>

#include "policyfile/policy_reader.h"
#include "routing/rebalance.h"
#include "routing/routed_spec.h"
#include "routing/router.h"
#include "sim/simulated_cluster.h"
#include "text/array_spec.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

constexpr std::int64_t kGb = 1024;

class RoutingInVirtualTime : public testing::Test {
 protected:
  static std::shared_ptr<const Policy> two_accounts(const std::string& clive) {
    const std::string text = R"(
cluster: two
nodes:
  - {name: 'g[1-2]', cpus: 128, memory: 1000000M, gpus: {b200: 4}}
  - {name: 'c[1-2]', cpus: 128, memory: 1000000M}
partitions:
  hpg-b200: {nodes: 'g[1-2]'}
  hpg-default: {nodes: 'c[1-2]', default: yes}
qos:
  clive: {GrpTRES: ')" + clive +
                             R"('}
  maigan: {GrpTRES: 'cpu=80,mem=640000M,gres/gpu=2'}
accounts:
  clive: {qos: [clive], default_qos: clive, users: [alice, drew]}
  maigan: {qos: [maigan], default_qos: maigan, users: [alice, drew]}
enforce: [associations, limits, qos]
)";
    auto policy = read_policy(text, "two accounts");
    EXPECT_TRUE(policy) << (policy ? "" : policy.error().text());
    return std::make_shared<const Policy>(std::move(*policy));
  }

  explicit RoutingInVirtualTime(const std::string& clive = "cpu=40,mem=320000M,gres/gpu=1")
      : cluster(two_accounts(clive), "alice", [](const JobSpec&, std::optional<std::uint32_t>) {
          return Fate{std::chrono::minutes(20), {}};
        }) {
    settings.stuck_after = minutes(1);
    settings.gpu.partitions = {"hpg-b200"};
    settings.gpu.cpus = 8;
    settings.gpu.memory_mb = 125 * kGb;
    settings.gpu.gpus = 1;
    settings.cpu.partitions = {"hpg-default"};
    settings.cpu.cpus = 8;
    settings.cpu.memory_mb = 64'000;
  }

  static JobSpec job(std::int64_t memory_mb, int gpus, const std::string& array = {}) {
    JobSpec spec;
    spec.name = "task";
    spec.cpus_per_task = 8;
    spec.memory = MemoryRequest{MemoryPer::kNode, memory_mb};
    if (gpus > 0) spec.gpus.push_back({GpusPer::kNode, "", gpus});
    spec.time_limit = minutes(30);
    if (!array.empty()) spec.array = *parse_array_spec(array);
    return spec;
  }

  RemoteJob neighbour(const std::string& account, JobSpec spec) {
    spec.account = account;
    spec.qos = account;
    const auto answer = cluster.submit_as("drew", {spec, "drew", false});
    EXPECT_TRUE(std::holds_alternative<Accepted>(*answer));
    cluster.pass_until(cluster.now() + seconds(5));
    return std::get<Accepted>(*answer).job;
  }

  // Decides and submits; the tasks of each pool, and the reason of each that got none.
  std::map<std::string, std::string> routed(const JobSpec& spec, const std::string& device) {
    const Description seen = *cluster.describe();
    const auto pools = find_pools(seen, settings, needs_of(spec, device, settings, seen));
    RouteRequest request;
    const IndexSet all = spec.array ? spec.array->indices : IndexSet{};
    request.array = spec.array.has_value();
    request.tasks = request.array ? static_cast<std::int64_t>(all.size()) : 1;
    const Route decision = route(pools, request);
    full = decision.full;
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i < pools.size(); ++i)
      out[pool_name(pools[i])] =
          verdict_text(pools[i], decision.verdicts[i], decision, seen.policy->tres, "2026-11-15");
    if (full) return out;
    const std::vector<IndexSet> parts = tasks_of_shares(all, decision);
    for (std::size_t i = 0; i < decision.shares.size(); ++i) {
      std::optional<IndexSet> part;
      if (spec.array) part = parts[i];
      const Pool& pool = pools[decision.shares[i].pool];
      const auto answer = cluster.submit({spec_for(spec, pool, part, all.size()), "alice", false});
      EXPECT_TRUE(std::holds_alternative<Accepted>(*answer));
      submitted.push_back(std::get<Accepted>(*answer).job);
      out[pool_name(pool)] = part ? compress_indices(*part) : "1 job";
    }
    cluster.pass_until(cluster.now() + seconds(5));
    return out;
  }

  std::size_t running() {
    std::size_t out = 0;
    for (const RemoteJob& one : submitted) {
      const RemoteRef ref{one, std::nullopt};
      const auto seen = *cluster.observe({&ref, 1});
      for (const SeenTask& task : seen.front().tasks) out += task.state == JobState::kRunning;
    }
    return out;
  }

  using Where = std::map<std::string, std::string>;
  SimulatedCluster cluster;
  RoutingSettings settings;
  std::vector<RemoteJob> submitted;
  bool full = false;
};

class HealthyAccounts : public RoutingInVirtualTime {
 protected:
  HealthyAccounts() : RoutingInVirtualTime("cpu=104,mem=831488M,gres/gpu=3") {}
};

TEST_F(RoutingInVirtualTime, ANeighboursMemoryInCliveSendsEverythingToMaigan) {
  neighbour("clive", job(262'144, 0));
  EXPECT_EQ(routed(job(125 * kGb, 1, "0-3"), "gpu"),
            (Where{{"clive/gpu", "full: memory of qos clive: 256G held + 125G asked > 312.50G"},
                   {"maigan/gpu", "0-3"}}));
  EXPECT_EQ(running(), 2U);
  EXPECT_EQ(routed(job(62'500, 0), "cpu").at("maigan/cpu"), "1 job");
}

TEST_F(RoutingInVirtualTime, ANeighbourThatHoldsTheGpuTooChangesNothing) {
  JobSpec spec = job(262'144, 1);
  spec.partitions = {"hpg-b200"};
  neighbour("clive", spec);
  EXPECT_EQ(routed(job(125 * kGb, 1, "0-3"), "gpu").at("maigan/gpu"), "0-3");
}

TEST_F(RoutingInVirtualTime, WhereAllIsFullNothingIsSubmitted) {
  neighbour("clive", job(262'144, 0));
  neighbour("maigan", job(600'000, 0));
  const auto why = routed(job(125 * kGb, 1, "0-3"), "gpu");
  EXPECT_TRUE(full);
  EXPECT_EQ(why.at("maigan/gpu"), "full: memory of qos maigan: 585.94G held + 125G asked > 625G");
  EXPECT_TRUE(cluster.waiting()->empty());
  // Their time limits pass: there is room again.
  cluster.pass_until(cluster.now() + minutes(30));
  EXPECT_EQ(routed(job(125 * kGb, 1, "0-2"), "gpu"),
            (Where{{"clive/gpu", "0"}, {"maigan/gpu", "1-2"}}));
}

TEST_F(HealthyAccounts, ShareInProportionOnGpusAndCpusAtOnce) {
  EXPECT_EQ(routed(job(184'320, 1, "0-12"), "any"), (Where{{"clive/gpu", "0-2"},
                                                           {"clive/cpu", "3-6"},
                                                           {"maigan/gpu", "7-8"},
                                                           {"maigan/cpu", "9-12"}}));
  EXPECT_EQ(running(), 13U);
}

TEST_F(HealthyAccounts, WhatOthersLetWaitHoldsNothing) {
  JobSpec waiting = job(180 * kGb, 0, "0-99");
  waiting.hold = true;
  neighbour("clive", waiting);
  EXPECT_EQ(routed(job(125 * kGb, 1, "0-4"), "gpu"),
            (Where{{"clive/gpu", "0-2"}, {"maigan/gpu", "3-4"}}));
}

TEST_F(HealthyAccounts, APoolThatFillsUpLaterLosesItsWaitingTasks) {
  JobSpec spec = job(125 * kGb, 1, "0-1");
  spec.account = spec.qos = "clive";
  spec.partitions = {"hpg-b200"};
  spec.hold = true;
  const auto answer = *cluster.submit({spec, "alice", false});
  const RemoteJob held = std::get<Accepted>(answer).job;
  submitted.push_back(held);
  neighbour("clive", job(700 * kGb, 0));
  ASSERT_EQ(*cluster.release({held, std::nullopt}), Changed::kDone);
  cluster.pass_until(cluster.now() + seconds(5));
  const auto plan = [&] {
    return plan_rebalance(*cluster.describe(), settings, *cluster.waiting(), cluster.now());
  };
  ASSERT_EQ(cluster.waiting()->size(), 1U);
  EXPECT_EQ(cluster.waiting()->front().reason, "QOSGrpMemLimit");
  EXPECT_EQ(plan().verdicts, std::vector{Stay::kNotYet});
  cluster.pass_until(cluster.now() + minutes(1));
  const Rebalance moves = plan();
  ASSERT_EQ(moves.moves.size(), 1U);
  EXPECT_EQ(moves.moves.front().pool, "maigan/gpu");
  JobChange change;
  change.account = moves.moves.front().account;
  change.qos = moves.moves.front().qos;
  const auto done = *cluster.update_tasks(held, *moves.moves.front().tasks, change);
  EXPECT_EQ(std::get<Changed>(done), Changed::kDone);
  cluster.pass_until(cluster.now() + seconds(5));
  EXPECT_EQ(running(), 2U);
}

}  // namespace
}  // namespace sluice
