// Could the job run here if nothing else did?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/policy.h"
#include "model/reason.h"
#include "state/shape.h"

namespace sluice {

// Whether the partition's nodes, all of them up and idle, could hold the job: CPUs, memory, GPUs
// by type, features, nodes required and excluded. `only`: by node, those that count; all of them
// where nothing is given.
bool could_ever_hold(const Policy& policy, const Shape& shape, PartitionId partition,
                     const std::vector<std::uint8_t>* only = nullptr);

// What keeps a job waiting whatever the nodes could hold.
struct ShutGates {
  std::function<bool(PartitionId)> partition;  // Its size, state, accounts, QoS.
  // The first limit of those that are looked at before placement.
  std::function<std::optional<Reason>(PartitionId)> limit;
};

// Whether a new job is refused because the nodes of its partitions could not hold it one by one.
// What the one partition of a job does not take for its size or its time waits for better days
// (PartitionNodeLimit, PartitionConfig, PartitionTimeLimit); of several the last that could not
// take it decides, where bounds on numbers of nodes keep it waiting.
bool no_node_could_hold(const Policy& policy, const Shape& shape,
                        std::span<const PartitionId> partitions, const ShutGates& shut,
                        const std::vector<std::uint8_t>* only = nullptr);

}  // namespace sluice
