#include "views/node_view.h"

#include <fmt/format.h>

#include <bit>

namespace sluice {
namespace {

std::string state_word(const NodeUse& use) {
  if (use.state == NodeState::kDown) return "down";
  if (use.state == NodeState::kDraining) return use.jobs > 0 ? "draining" : "drained";
  if (use.jobs == 0) return "idle";
  return use.cpus_taken >= use.cpus ? "allocated" : "mixed";
}

std::string gpu_types(const Node& node) {
  std::string out;
  for (const auto& [type, count] : gpus_by_type(node))
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", type.empty() ? "gpu" : type, count);
  return out;
}

}  // namespace

std::vector<std::pair<std::string, int>> gpus_by_type(const Node& node) {
  std::vector<std::pair<std::string, int>> types;
  for (const Gpu& gpu : node.gpus) {
    if (types.empty() || types.back().first != gpu.type) types.emplace_back(gpu.type, 0);
    ++types.back().second;
  }
  return types;
}

std::vector<NodeLine> node_lines(const Engine& engine,
                                 const std::map<std::string, std::string>& enforces) {
  std::vector<NodeLine> out;
  const State& state = engine.state();
  if (!state.has_policy()) return out;
  const Policy& policy = state.policy();
  for (std::size_t i = 0; i < policy.nodes.size(); ++i) {
    const Node& node = policy.nodes[i];
    const NodeUse& use = state.nodes()[i];
    NodeLine line;
    line.name = node.name;
    line.state = state_word(use);
    for (const Partition& partition : policy.partitions)
      for (const NodeId id : partition.nodes)
        if (id.index() == i)
          line.partitions += (line.partitions.empty() ? "" : ",") + partition.name +
                             (partition.is_default ? "*" : "");
    line.cpus = use.cpus;
    line.cpus_free = use.cpus - use.cpus_taken;
    line.memory_mb = use.memory;
    line.memory_free_mb = use.memory - use.memory_taken;
    line.gpus = static_cast<std::int64_t>(node.gpus.size());
    line.gpus_free = std::popcount(use.gpus & ~use.gpus_taken);
    line.gpu_types = gpu_types(node);
    line.jobs = use.jobs;
    line.features = fmt::format("{}", fmt::join(node.features, ","));
    line.enforces = enforces;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace sluice
