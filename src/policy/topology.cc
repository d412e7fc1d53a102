// Sorts nodes by weight and collects their GPUs by type.
#include "policy/topology.h"

#include <algorithm>

namespace sluice {

Topology::Topology(const Policy& policy) : policy_(&policy) {
  for (const Partition& partition : policy.partitions) {
    std::vector<NodeId> nodes = partition.nodes;
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
      const std::int32_t wa = policy.nodes[a.index()].weight;
      const std::int32_t wb = policy.nodes[b.index()].weight;
      return wa != wb ? wa < wb : a < b;
    });
    std::vector<std::uint32_t>& places = places_.emplace_back(policy.nodes.size(), kNowhere);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      places[nodes[i].index()] = static_cast<std::uint32_t>(i);
    candidates_.push_back(std::move(nodes));
  }
  for (const Node& node : policy.nodes) {
    auto& rows = gpus_.emplace_back();
    if (node.gpus.empty()) continue;
    rows.emplace_back(kTresGpu, 0);
    for (std::size_t i = 0; i < node.gpus.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      rows.front().second |= bit;
      if (node.gpus[i].type.empty()) continue;
      const auto tres = policy.tres.find("gres/gpu:" + node.gpus[i].type);
      if (!tres) continue;
      auto row =
          std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == *tres; });
      if (row == rows.end())
        rows.emplace_back(*tres, bit);
      else
        row->second |= bit;
    }
  }
}

std::uint64_t Topology::gpus(NodeId node, TresIndex tres) const {
  for (const auto& [index, mask] : gpus_[node.index()])
    if (index == tres) return mask;
  return 0;
}

bool Topology::has_features(NodeId node, const std::vector<std::string>& all) const {
  const std::vector<std::string>& has = policy_->nodes[node.index()].features;
  return std::all_of(all.begin(), all.end(), [&](const std::string& feature) {
    return std::find(has.begin(), has.end(), feature) != has.end();
  });
}

}  // namespace sluice
