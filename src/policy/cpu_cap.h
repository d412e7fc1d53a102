// MaxCPUsPerNode: how many CPUs of each node the jobs of one partition may have together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/placement.h"
#include "state/state.h"

namespace sluice {

// Whether any partition sets it.
bool caps_cpus(const Policy& policy);

// What the partition leaves of a node's CPUs for one more job, where its jobs have so many there,
// those of whole cores. The last core that a job begins may be more than the maximum.
std::int64_t cpus_within_cap(const Node& node, const Partition& partition, std::int64_t used,
                             const Shape& shape);
// The same of a node in use. A job that has the node for itself gets all of its CPUs or does not
// start.
void cap_cpus(NodeFree& free, const Node& node, const Partition& partition, std::int64_t used,
              const Shape& shape);

// What the jobs of a partition have of each node, where the partition sets a maximum. Those that
// are suspended do not count.
class CpuCap {
 public:
  CpuCap() = default;
  CpuCap(const State& state, PartitionId partition);

  bool is_set() const { return partition_ != nullptr; }
  // The job has left; one of another partition changes nothing.
  void leave(const Run& run);
  void join(const Allocation& allocation);
  void apply(const Policy& policy, const Shape& shape, std::vector<NodeFree>& free) const;

 private:
  PartitionId id_;
  const Partition* partition_ = nullptr;
  std::vector<std::int64_t> used_;  // By node.
};

// As it will be then, if every job runs to its limit.
CpuCap cap_at(const State& state, PartitionId partition, Instant time);

// place() of placement.h, within what the partition leaves.
std::optional<Allocation> place_within_cap(const State& state, const Topology& topology,
                                           const Shape& shape, PartitionId partition,
                                           const std::vector<NodeFree>& free,
                                           std::span<const NodeId> candidates);

}  // namespace sluice
