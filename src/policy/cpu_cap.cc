// Counts what jobs of one partition have of its nodes.
#include "policy/cpu_cap.h"

#include <algorithm>

namespace sluice {

bool caps_cpus(const Policy& policy) {
  return std::any_of(policy.partitions.begin(), policy.partitions.end(),
                     [](const Partition& partition) { return partition.max_cpus_per_node; });
}

std::int64_t cpus_within_cap(const Node& node, const Partition& partition, std::int64_t used,
                             const Shape& shape) {
  if (!partition.max_cpus_per_node) return node.cpus;
  const std::int64_t left = std::max<std::int64_t>(0, *partition.max_cpus_per_node - used);
  const std::int64_t threads = node.threads_per_core;
  if (threads <= 1) return std::min<std::int64_t>(node.cpus, left);
  // Tasks are counted against what is left; the cores that they begin they get whole.
  const std::int64_t each = std::max(1, shape.cpus_per_task);
  const std::int64_t whole = (left / each * each + threads - 1) / threads * threads;
  return std::min<std::int64_t>(node.cpus, whole);
}

void cap_cpus(NodeFree& free, const Node& node, const Partition& partition, std::int64_t used,
              const Shape& shape) {
  if (!partition.max_cpus_per_node) return;
  if (shape.exclusive && node.cpus > *partition.max_cpus_per_node) free.usable = false;
  free.cpus = static_cast<std::int32_t>(
      std::min<std::int64_t>(free.cpus, cpus_within_cap(node, partition, used, shape)));
}

CpuCap::CpuCap(const State& state, PartitionId partition) : id_(partition) {
  const Partition& told = state.policy().partitions[partition.index()];
  if (!told.max_cpus_per_node) return;
  partition_ = &told;
  used_.resize(state.nodes().size());
  for (const ExpectedEnd& end : state.expected_ends()) {
    const Run& run = state.run_of(state.job(end.job));
    if (run.partition == id_) join(run.allocation);
  }
}

void CpuCap::leave(const Run& run) {
  if (!is_set() || run.partition != id_) return;
  for (const NodeShare& share : run.allocation.shares()) used_[share.node.index()] -= share.cpus;
}

void CpuCap::join(const Allocation& allocation) {
  if (!is_set()) return;
  for (const NodeShare& share : allocation.shares()) used_[share.node.index()] += share.cpus;
}

void CpuCap::apply(const Policy& policy, const Shape& shape, std::vector<NodeFree>& free) const {
  if (!is_set()) return;
  for (const NodeId node : partition_->nodes)
    cap_cpus(free[node.index()], policy.nodes[node.index()], *partition_, used_[node.index()],
             shape);
}

CpuCap cap_at(const State& state, PartitionId partition, Instant time) {
  CpuCap out(state, partition);
  if (!out.is_set()) return out;
  for (const ExpectedEnd& end : state.expected_ends()) {
    if (end.at > time) break;
    out.leave(state.run_of(state.job(end.job)));
  }
  return out;
}

std::optional<Allocation> place_within_cap(const State& state, const Topology& topology,
                                           const Shape& shape, PartitionId partition,
                                           const std::vector<NodeFree>& free,
                                           std::span<const NodeId> candidates) {
  if (!topology.policy().partitions[partition.index()].max_cpus_per_node)
    return place(topology, shape, partition, free, candidates);
  std::vector<NodeFree> within = free;
  CpuCap(state, partition).apply(state.policy(), shape, within);
  return place(topology, shape, partition, within, candidates);
}

}  // namespace sluice
