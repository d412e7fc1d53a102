// Could the job run here if nothing else did?
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

// Whether the partition's nodes, all of them up and idle, could hold the job: CPUs, memory, GPUs
// by type, features, nodes required and excluded. `only`: by node, those that count; all of them
// where nothing is given.
bool could_ever_hold(const Policy& policy, const Shape& shape, PartitionId partition,
                     const std::vector<std::uint8_t>* only = nullptr);

// Whether at least one of the partition's nodes has what the job needs of each of its nodes.
bool some_node_is_enough(const Policy& policy, const Shape& shape, PartitionId partition);

// What keeps a job waiting whatever the nodes could hold.
struct ShutGates {
  std::function<bool(PartitionId)> partition;  // Its size, state, accounts, QoS.
  std::function<bool(PartitionId)> limit;      // One that is looked at before placement.
};

// Whether a new job is refused because the nodes of its partitions could not hold it one by one.
// What the one partition of a job does not take for its size or its time waits for better days
// (PartitionNodeLimit, PartitionConfig, PartitionTimeLimit); of several the last that could not
// take it decides, where bounds on numbers of nodes keep it waiting.
bool no_node_could_hold(const Policy& policy, const Shape& shape,
                        std::span<const PartitionId> partitions, const ShutGates& shut,
                        const std::vector<std::uint8_t>* only = nullptr);

}  // namespace sluice
