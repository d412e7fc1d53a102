// What placement needs to know of the nodes, worked out once per policy.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/policy.h"
#include "policy/switch_tree.h"

namespace sluice {

class Topology {
 public:
  Topology() = default;
  explicit Topology(const Policy& policy);

  // The partition's nodes by name.
  const std::vector<NodeId>& candidates(PartitionId partition) const {
    return candidates_[partition.index()];
  }
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  // By node: its place among the candidates, or kNowhere.
  const std::vector<std::uint32_t>& places(PartitionId partition) const {
    return places_[partition.index()];
  }
  // The node's place among all nodes by name, as slurmctld numbers them.
  std::uint32_t rank(NodeId node) const { return ranks_[node.index()]; }
  NodeId at_rank(std::uint32_t rank) const { return by_rank_[rank]; }
  // Nodes that follow this one are of its class up to there.
  std::uint32_t alike_until(std::uint32_t rank) const { return alike_until_[rank]; }
  // Nodes that are alike are of one class: capacity, GPUs, features, weight and partitions.
  std::uint32_t class_of(NodeId node) const { return class_of_[node.index()]; }
  std::size_t class_count() const { return first_of_class_.size(); }
  std::size_t node_count() const { return by_rank_.size(); }
  NodeId first_of_class(std::uint32_t number) const { return first_of_class_[number]; }
  const std::vector<std::uint32_t>& classes(PartitionId partition) const {
    return classes_[partition.index()];
  }
  // The node's GPUs of the dimension: gres/gpu is all of them.
  std::uint64_t gpus(NodeId node, TresIndex tres) const;
  bool has_features(NodeId node, const std::vector<std::string>& all) const;
  // Whether any QoS or association limits the nodes of a job.
  bool nodes_are_limited() const { return nodes_are_limited_; }
  const SwitchTree& switches() const { return switches_; }
  const Policy& policy() const { return *policy_; }

 private:
  void rank_nodes(const Policy& policy);
  void find_classes(const Policy& policy);

  const Policy* policy_ = nullptr;
  bool nodes_are_limited_ = false;
  SwitchTree switches_;
  std::vector<std::uint32_t> ranks_;
  std::vector<NodeId> by_rank_;
  std::vector<std::uint32_t> alike_until_;  // By rank.
  std::vector<std::vector<NodeId>> candidates_;
  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<std::uint32_t> class_of_;
  std::vector<NodeId> first_of_class_;
  std::vector<std::vector<std::uint32_t>> classes_;
  std::vector<std::vector<std::pair<TresIndex, std::uint64_t>>> gpus_;
};

}  // namespace sluice
