#include "policy/placement.h"

#include <gtest/gtest.h>

#include <bit>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// Nodes of four CPUs and 1000 MB each, empty, in one partition.
class Nodes {
 public:
  explicit Nodes(std::size_t count) {
    CHECK(policy_.tres.add("gres/gpu:a").has_value());
    CHECK(policy_.tres.add("gres/gpu:b").has_value());
    Partition& partition = policy_.partitions.emplace_back();
    partition.name = "all";
    for (std::uint32_t i = 0; i < count; ++i) {
      Node& node = policy_.nodes.emplace_back();
      node.name = "n" + std::to_string(i + 1);
      node.cpus = 4;
      node.memory_mb = 1000;
      partition.nodes.push_back(NodeId(i));
    }
  }
  Node& node(std::size_t i) { return policy_.nodes[i]; }
  void give_gpus(std::size_t node, const std::vector<std::string>& types) {
    for (const std::string& type : types) policy_.nodes[node].gpus.push_back({type, ""});
  }
  // So many CPUs of the node are taken.
  void take_cpus(std::size_t node, std::int32_t cpus) { taken_.push_back({node, cpus}); }

  std::optional<Allocation> place(const JobSpec& asked) const {
    const Topology topology(policy_);
    std::vector<NodeFree> free;
    for (const Node& node : policy_.nodes)
      free.push_back(
          {node.cpus, 0, node.memory_mb, (std::uint64_t{1} << node.gpus.size()) - 1, true});
    for (const auto& [node, cpus] : taken_) {
      free[node].cpus -= cpus;
      ++free[node].jobs;
    }
    JobSpec spec = asked;
    spec.partitions = {"all"};
    const Shape shape = shape_of(policy_, std::make_shared<const JobSpec>(spec), UserId(0));
    return sluice::place(topology, shape, PartitionId(0), free);
  }
  // "n1:4 n3:2", or "nowhere".
  std::string where(const JobSpec& spec) const {
    const auto found = place(spec);
    if (!found) return "nowhere";
    std::string out;
    for (const NodeShare& share : found->shares())
      out += (out.empty() ? "" : " ") + policy_.nodes[share.node.index()].name + ":" +
             std::to_string(share.cpus);
    return out;
  }
  // GPUs on each node, one bit each: "11 01".
  std::string gpus(const JobSpec& spec) const {
    const auto found = place(spec);
    if (!found) return "nowhere";
    std::string out;
    for (const NodeShare& share : found->shares()) {
      out += out.empty() ? "" : " ";
      for (std::size_t i = 0; i < policy_.nodes[share.node.index()].gpus.size(); ++i)
        out += ((share.gpus >> i) & 1U) != 0 ? '1' : '0';
    }
    return out;
  }

 private:
  Policy policy_;
  std::vector<std::pair<std::size_t, std::int32_t>> taken_;
};

JobSpec tasks(std::int32_t count, std::int32_t cpus = 1) {
  JobSpec spec;
  spec.tasks = count;
  spec.cpus_per_task = cpus;
  return spec;
}
JobSpec with_gpus(GpusPer per, const std::string& type, std::int32_t count) {
  JobSpec spec;
  spec.gpus = {{per, type, count}};
  return spec;
}

TEST(Placement, TriesNodesInOrderOfWeightThenPlace) {
  Nodes nodes(3);
  nodes.node(0).weight = 9;
  EXPECT_EQ(nodes.where(tasks(1)), "n2:1");
  nodes.take_cpus(1, 4);
  EXPECT_EQ(nodes.where(tasks(1)), "n3:1");
  nodes.take_cpus(2, 4);
  EXPECT_EQ(nodes.where(tasks(1)), "n1:1");
}

TEST(Placement, FillsTheFirstNodesButLeavesATaskForEachThatMustFollow) {
  Nodes nodes(3);
  JobSpec spec = tasks(5);
  spec.min_nodes = 3;
  EXPECT_EQ(nodes.where(spec), "n1:3 n2:1 n3:1");
  EXPECT_EQ(nodes.where(tasks(6)), "n1:4 n2:2");
  spec = tasks(6);
  spec.max_nodes = 1;
  EXPECT_EQ(nodes.where(spec), "nowhere");
}

TEST(Placement, TheLastNodeItMayHaveMustHoldTheRest) {
  Nodes nodes(3);
  nodes.take_cpus(0, 3);
  JobSpec spec = tasks(8);
  spec.max_nodes = 2;
  EXPECT_EQ(nodes.where(spec), "n2:4 n3:4");
}

TEST(Placement, OfNeighboursTheTightestNodeIsUsed) {
  Nodes nodes(3);
  nodes.node(0).cpus = 16;
  nodes.node(2).cpus = 8;
  EXPECT_EQ(nodes.where(tasks(1)), "n2:1");
  EXPECT_EQ(nodes.where(tasks(6)), "n3:6");
  EXPECT_EQ(nodes.where(tasks(20)), "n1:16 n2:4");
}

TEST(Placement, OfSetsOfNeighboursTheTightestThatSufficesIsUsed) {
  Nodes nodes(5);
  nodes.take_cpus(2, 4);
  nodes.take_cpus(3, 1);
  EXPECT_EQ(nodes.where(tasks(1)), "n4:1");  // n4 and n5 have 7 CPUs, n1 and n2 have 8.
  EXPECT_EQ(nodes.where(tasks(4)), "n5:4");
  EXPECT_EQ(nodes.where(tasks(8)), "n1:4 n2:4");
  EXPECT_EQ(nodes.where(tasks(9)), "n1:4 n2:4 n4:1");
}

TEST(Placement, NeighboursAreThoseByName) {
  Nodes nodes(4);
  nodes.node(0).name = "n10";
  nodes.node(1).name = "n9";
  nodes.node(2).name = "n2";
  nodes.node(3).name = "n1";
  EXPECT_EQ(nodes.where(tasks(1)), "n1:1");
  EXPECT_EQ(nodes.where(tasks(12)), "n9:4 n2:4 n1:4");
}

TEST(Placement, AJobTakesAsManyNodesAsItMayHave) {
  Nodes nodes(5);
  JobSpec spec = tasks(8);
  spec.min_nodes = 2;
  spec.max_nodes = 4;
  EXPECT_EQ(nodes.where(spec), "n1:3 n2:3 n3:1 n4:1");
}

TEST(Placement, NodesWithMoreGpusComeFirst) {
  Nodes nodes(4);
  nodes.give_gpus(0, {"a", "a"});
  nodes.give_gpus(1, {"a", "a"});
  nodes.give_gpus(3, {"a", "a", "a", "a"});
  EXPECT_EQ(nodes.where(with_gpus(GpusPer::kJob, "", 3)), "n4:1");
  EXPECT_EQ(nodes.where(with_gpus(GpusPer::kNode, "", 2)), "n4:1");  // One node against two.
  JobSpec spec = with_gpus(GpusPer::kJob, "", 3);
  spec.tasks = 2;
  spec.min_nodes = 2;
  spec.max_nodes = 2;
  EXPECT_EQ(nodes.where(spec), "n1:1 n4:1");
  EXPECT_EQ(nodes.gpus(spec), "11 1000");
}

TEST(Placement, TasksPerNodeAreExact) {
  Nodes nodes(3);
  nodes.take_cpus(0, 3);
  JobSpec spec;
  spec.min_nodes = 2;
  spec.tasks_per_node = 2;
  EXPECT_EQ(nodes.where(spec), "n2:2 n3:2");
}

TEST(Placement, ANodeForOneselfIsEmptyAndWhole) {
  Nodes nodes(2);
  nodes.take_cpus(0, 1);
  nodes.give_gpus(1, {"a", "b"});
  JobSpec spec = tasks(1);
  spec.sharing = NodeSharing::kExclusive;
  spec.memory = MemoryRequest{MemoryPer::kCpu, 200};
  EXPECT_EQ(nodes.where(spec), "n2:4");
  EXPECT_EQ(nodes.gpus(spec), "11");
  EXPECT_EQ(nodes.place(spec)->shares().front().memory_mb, 800);  // For every CPU.
}

TEST(Placement, GivesWholeCoresAndTheMemoryThatGoesWithThem) {
  Nodes nodes(1);
  nodes.node(0).threads_per_core = 2;
  JobSpec spec = tasks(1);
  EXPECT_EQ(nodes.where(spec), "n1:2");
  spec.memory = MemoryRequest{MemoryPer::kCpu, 600};
  EXPECT_EQ(nodes.where(spec), "nowhere");
  spec.memory = MemoryRequest{MemoryPer::kCpu, 500};
  EXPECT_EQ(nodes.place(spec)->shares().front().memory_mb, 1000);
}

TEST(Placement, KnowsFeaturesAndMatchingAlternatives) {
  Nodes nodes(3);
  nodes.node(0).features = {"old"};
  nodes.node(1).features = {"big"};
  nodes.node(2).features = {"big"};
  JobSpec spec = tasks(2);
  spec.min_nodes = 2;
  spec.constraint.any_of = {{"old"}, {"big"}};
  EXPECT_EQ(nodes.where(spec), "n1:1 n2:1");
  spec.constraint.same_for_all_nodes = true;
  EXPECT_EQ(nodes.where(spec), "n2:1 n3:1");
  spec.constraint.any_of = {{"old", "big"}};
  EXPECT_EQ(nodes.where(spec), "nowhere");
}

TEST(Placement, KnowsNodesThatAreNamedAndExcluded) {
  Nodes nodes(3);
  JobSpec spec = tasks(1);
  spec.require_nodes = {"n3"};
  EXPECT_EQ(nodes.where(spec), "n3:1");
  spec.min_nodes = 2;
  EXPECT_EQ(nodes.where(spec), "n2:1 n3:1");
  spec.exclude_nodes = {"n1"};
  EXPECT_EQ(nodes.where(spec), "n2:1 n3:1");
  nodes.take_cpus(2, 4);
  EXPECT_EQ(nodes.where(spec), "nowhere");
}

TEST(Placement, GivesGpusByIdentityAndType) {
  Nodes nodes(2);
  nodes.give_gpus(0, {"a", "b", "a"});
  EXPECT_EQ(nodes.gpus(with_gpus(GpusPer::kNode, "", 2)), "110");
  EXPECT_EQ(nodes.gpus(with_gpus(GpusPer::kNode, "a", 2)), "101");
  EXPECT_EQ(nodes.gpus(with_gpus(GpusPer::kNode, "b", 2)), "nowhere");
  JobSpec spec = with_gpus(GpusPer::kTask, "a", 1);
  spec.tasks = 2;
  EXPECT_EQ(nodes.gpus(spec), "101");
  spec.tasks = 3;
  EXPECT_EQ(nodes.gpus(spec), "nowhere");
}

TEST(Placement, WhoTakesAnyGpuLeavesTheTypedOnesToThoseWhoNeedThem) {
  Nodes nodes(1);
  nodes.give_gpus(0, {"a", "b"});
  JobSpec spec;
  spec.gpus = {{GpusPer::kNode, "", 1}, {GpusPer::kNode, "a", 1}};
  EXPECT_EQ(nodes.gpus(spec), "11");
  spec.gpus.front().count = 2;
  EXPECT_EQ(nodes.gpus(spec), "nowhere");
}

TEST(Placement, TakesTheGpusOfAJobFromTheFirstOfItsNodes) {
  Nodes nodes(2);
  nodes.give_gpus(0, {"a", "a", "a", "b"});
  nodes.give_gpus(1, {"a", "b"});
  JobSpec spec = with_gpus(GpusPer::kJob, "", 5);
  EXPECT_EQ(nodes.gpus(spec), "1111 10");
  spec.gpus = {{GpusPer::kJob, "a", 4}, {GpusPer::kJob, "b", 1}};
  EXPECT_EQ(nodes.gpus(spec), "1111 10");
  spec.gpus = {{GpusPer::kJob, "b", 3}};
  EXPECT_EQ(nodes.gpus(spec), "nowhere");
}

TEST(Placement, MemoryPerGpuCountsForEveryGpu) {
  Nodes nodes(1);
  nodes.give_gpus(0, {"a", "a", "a"});
  JobSpec spec = with_gpus(GpusPer::kTask, "", 1);
  spec.tasks = 2;
  spec.memory = MemoryRequest{MemoryPer::kGpu, 400};
  EXPECT_EQ(nodes.place(spec)->shares().front().memory_mb, 800);
  spec.tasks = 3;
  EXPECT_EQ(nodes.gpus(spec), "nowhere");
  spec = with_gpus(GpusPer::kJob, "", 3);
  spec.memory = MemoryRequest{MemoryPer::kGpu, 400};
  EXPECT_EQ(nodes.gpus(spec), "nowhere");
}

}  // namespace
}  // namespace sluice
