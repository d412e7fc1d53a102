// Jobs that share CPUs and jobs that do not: they never meet on a node, as in select/cons_tres.
#pragma once

#include <functional>
#include <vector>

#include "policy/node_bits.h"
#include "policy/placement.h"
#include "state/state.h"

namespace sluice {

// Whether there are partitions of either kind at all.
bool has_shared_nodes(const Policy& policy);

// Whether the job may be on a node where the other one is.
bool may_meet(const Policy& policy, const Shape& shape, PartitionId partition, const Shape& other,
              PartitionId others_partition);

// The nodes on which jobs are that the job may not meet: of all, or of those that count.
NodeBits nodes_closed_to(const State& state, const Shape& shape, PartitionId partition,
                         const std::function<bool(const Job&)>& counts = {});

void close_nodes(const NodeBits& closed, std::vector<NodeFree>& free);

// Whether nodes are closed to the job, or to others, by who is on them: --exclusive=user, and
// partitions with exclusive_user.
bool keeps_users_apart(const State& state, const Shape& shape);

// Nodes on which other users have jobs that must not meet it.
NodeBits nodes_of_other_users(const State& state, const Shape& shape);

}  // namespace sluice
