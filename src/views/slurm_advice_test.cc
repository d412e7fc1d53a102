// What `sluice why` advises on a real Slurm.
#include "views/slurm_advice.h"

#include <gtest/gtest.h>

#include "routing/two_accounts_for_tests.h"

namespace sluice {
namespace {

// A job of two CPUs waits; each node of the partition hpg-default has as many free as given, each
// of hpg-b200 one.
std::vector<std::string> advised(std::vector<std::string> partitions, std::int32_t free_cpus) {
  TwoAccounts cluster;
  cluster.add("clive", 1000, 4'000'000, 10);
  for (std::size_t i = 0; i < cluster.description.nodes.size(); ++i)
    cluster.description.nodes[i].free_cpus = i < 2 ? 1 : free_cpus;
  SlurmWhy why;
  why.id = "7";
  why.user = "alice";
  why.waiting.account = why.waiting.qos = "clive";
  why.waiting.partitions = partitions;
  why.waiting.reason = "Resources";
  why.waiting.need.cpus = 2;
  why.waiting.need.memory_mb = 1;
  why.waiting.need.time_limit = minutes(1);
  why.waiting.need.partitions = partitions;
  JobSpec request;
  request.user = "alice";
  request.account = request.qos = "clive";
  request.partitions = partitions;
  request.cpus_per_task = 2;
  request.memory = MemoryRequest{MemoryPer::kNode, 1};
  request.time_limit = minutes(1);
  why.waiting.need.request = std::make_shared<const JobSpec>(request);
  SlurmWhyCard card;
  card.binding.emplace().kind = Bound::Kind::kNodes;
  std::vector<std::string> out;
  for (const WhatHelps& help : advice_for(why, card, cluster.seen(), RoutingSettings{}))
    if (help.command.find("NumCPUs") != std::string::npos) out.push_back(help.what);
  return out;
}

using Lines = std::vector<std::string>;

TEST(SlurmAdvice, FewerCpusAreAdvisedWhereSoManyAreFree) {
  EXPECT_EQ(advised({"hpg-default"}, 1), Lines{"with at most 1 CPU it fits"});
  EXPECT_EQ(advised({"hpg-default"}, 0), Lines{});
}

// While a job waits in one of its partitions, slurmctld plans nodes for it there, and what it asks
// for in the others has to keep off them.
TEST(SlurmAdvice, OfSeveralPartitionsEachHasToHaveRoom) {
  EXPECT_EQ(advised({"hpg-default", "hpg-b200"}, 1), Lines{"with at most 1 CPU it fits"});
  EXPECT_EQ(advised({"hpg-default", "hpg-b200"}, 0), Lines{});
}

}  // namespace
}  // namespace sluice
