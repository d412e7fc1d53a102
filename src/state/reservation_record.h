// A reservation with its nodes as the policy in force numbers them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/ids.h"
#include "model/reservation.h"

namespace sluice {

struct KeptReservation {
  Reservation told;
  std::vector<NodeId> nodes;           // Those of its nodes that the policy has.
  std::vector<std::uint8_t> has_node;  // By node.

  bool has(NodeId node) const { return has_node[node.index()] != 0; }
  // When it keeps its nodes. One that floats lies ahead for ever.
  Instant from(Instant now) const { return told.flags.time_float ? now + told.ahead : told.start; }
  Instant until() const { return told.flags.time_float ? Instant::max() : told.end; }
};

}  // namespace sluice
