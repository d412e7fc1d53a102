// What placement needs to know of the nodes, worked out once per policy.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/policy.h"

namespace sluice {

class Topology {
 public:
  Topology() = default;
  explicit Topology(const Policy& policy);

  // The partition's nodes in the order in which they are tried: weight, then place in the file.
  const std::vector<NodeId>& candidates(PartitionId partition) const {
    return candidates_[partition.index()];
  }
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  // By node: its place among the candidates, or kNowhere.
  const std::vector<std::uint32_t>& places(PartitionId partition) const {
    return places_[partition.index()];
  }
  // The node's GPUs of the dimension: gres/gpu is all of them.
  std::uint64_t gpus(NodeId node, TresIndex tres) const;
  bool has_features(NodeId node, const std::vector<std::string>& all) const;
  const Policy& policy() const { return *policy_; }

 private:
  const Policy* policy_ = nullptr;
  std::vector<std::vector<NodeId>> candidates_;
  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<std::vector<std::pair<TresIndex, std::uint64_t>>> gpus_;
};

}  // namespace sluice
