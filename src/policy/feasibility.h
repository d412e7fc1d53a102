// Could the job run here if nothing else did?
#pragma once

#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

// Whether the partition's nodes, all of them up and idle, could hold the job: CPUs, memory, GPUs
// by type, features, nodes required and excluded.
bool could_ever_hold(const Policy& policy, const Shape& shape, PartitionId partition);

}  // namespace sluice
