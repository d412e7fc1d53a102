// A node as a job of the partition would find it with no other job there.
#pragma once

#include <vector>

#include "policy/cpu_cap.h"
#include "policy/placement.h"
#include "state/state.h"

namespace sluice {

inline NodeFree idle_node(const State& state, std::size_t i, PartitionId partition,
                          const Shape& shape) {
  const NodeUse& use = state.nodes()[i];
  NodeFree out{use.cpus, 0, use.memory, use.gpus, use.state == NodeState::kUp};
  cap_cpus(out, state.policy().nodes[i], state.policy().partitions[partition.index()], 0, shape);
  return out;
}

}  // namespace sluice
