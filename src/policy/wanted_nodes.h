// How many nodes a job may and would have in a partition, and what they must hold together.
#pragma once

#include "policy/node_selection.h"
#include "policy/topology.h"
#include "state/shape.h"

namespace sluice {

// CR_LLN, or LLN of the partition.
bool picks_least_loaded(const Policy& policy, PartitionId partition);

// Whether its nodes are chosen by the switches they are on: topology/tree.
bool goes_by_switches(const Policy& policy, const Shape& shape, PartitionId partition);

Wanted wanted_nodes(const Topology& topology, const Shape& shape, PartitionId partition);

}  // namespace sluice
