// What a job asks for in all, where that depends on how many nodes it gets.
#pragma once

#include <cstdint>

#include "state/shape.h"

namespace sluice {

// Whether limits see another request with more nodes: what is asked for on each node comes with
// every one of them, and where `nodes_count` there are limits on nodes or on each of them.
bool nodes_change_request(const Shape& shape, bool nodes_count);

// What it asks for on so many nodes.
TresVector asked_on(const Policy& policy, const Shape& shape, PartitionId partition,
                    std::int64_t nodes);

}  // namespace sluice
