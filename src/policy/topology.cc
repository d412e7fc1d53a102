// Sorts nodes by name and collects their GPUs by type.
#include "policy/topology.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "policy/natural_order.h"

namespace sluice {
namespace {

bool limits_nodes(const Policy& policy) {
  const auto has = [](const TresLimits& limits) { return limits.has(kTresNode); };
  return policy.enforce.limits &&
         (std::any_of(policy.qos.begin(), policy.qos.end(),
                      [&](const Qos& qos) {
                        return has(qos.group.tres) || has(qos.user.max_tres) ||
                               has(qos.account.max_tres) || has(qos.job.max_tres);
                      }) ||
          std::any_of(policy.associations.begin(), policy.associations.end(),
                      [&](const Association& assoc) {
                        return has(assoc.group.tres) || has(assoc.job.max_tres);
                      }));
}

}  // namespace

Topology::Topology(const Policy& policy) : policy_(&policy), switches_(policy) {
  nodes_are_limited_ = limits_nodes(policy);
  rank_nodes(policy);
  for (const Partition& partition : policy.partitions) {
    std::vector<NodeId> nodes = partition.nodes;
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return rank(a) < rank(b); });
    std::vector<std::uint32_t>& places = places_.emplace_back(policy.nodes.size(), kNowhere);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      places[nodes[i].index()] = static_cast<std::uint32_t>(i);
    candidates_.push_back(std::move(nodes));
  }
  find_classes(policy);
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

void Topology::rank_nodes(const Policy& policy) {
  std::vector<std::uint32_t> order(policy.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return natural_less(policy.nodes[a].name, policy.nodes[b].name);
  });
  ranks_.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks_[order[i]] = i;
  for (const std::uint32_t node : order) by_rank_.emplace_back(node);
}

void Topology::find_classes(const Policy& policy) {
  std::vector<std::vector<std::uint32_t>> partitions(policy.nodes.size());
  for (std::uint32_t i = 0; i < policy.partitions.size(); ++i)
    for (NodeId node : policy.partitions[i].nodes) partitions[node.index()].push_back(i);
  // The same but for its name.
  const auto is_like = [&](std::size_t a, std::size_t b) {
    Node other = policy.nodes[b];
    other.name = policy.nodes[a].name;
    return partitions[a] == partitions[b] && other == policy.nodes[a];
  };
  using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::size_t,
                         std::vector<std::string>, std::int32_t, std::vector<std::uint32_t>>;
  std::map<Key, std::vector<std::uint32_t>> known;
  classes_.resize(policy.partitions.size());
  for (std::size_t i = 0; i < policy.nodes.size(); ++i) {
    const Node& node = policy.nodes[i];
    std::vector<std::uint32_t>& same =
        known[Key{node.cpus, node.threads_per_core, node.memory_mb, node.gpus.size(), node.features,
                  node.weight, partitions[i]}];
    const auto found = std::find_if(same.begin(), same.end(), [&](std::uint32_t number) {
      return is_like(first_of_class_[number].index(), i);
    });
    if (found != same.end()) {
      class_of_.push_back(*found);
      continue;
    }
    const auto number = static_cast<std::uint32_t>(first_of_class_.size());
    class_of_.push_back(number);
    first_of_class_.emplace_back(static_cast<std::uint32_t>(i));
    same.push_back(number);
    for (std::uint32_t partition : partitions[i]) classes_[partition].push_back(number);
  }
  alike_until_.resize(by_rank_.size());
  for (std::size_t i = by_rank_.size(); i-- > 0;) {
    const bool same = i + 1 < by_rank_.size() && class_of(by_rank_[i]) == class_of(by_rank_[i + 1]);
    alike_until_[i] = same ? alike_until_[i + 1] : static_cast<std::uint32_t>(i + 1);
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
