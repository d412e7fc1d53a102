// What a search of the forecast looks for.
#pragma once

#include "policy/forecast.h"

namespace sluice {

// Whole nodes are counted by class, parts of nodes are looked at one by one.
struct Forecast::Request {
  const Shape& shape;
  std::uint32_t kind;
  PartitionId partition;
  Duration limit;
  Instant latest;
  bool one_node;
  std::int32_t least;  // Tasks that a node must have room for to be of use.
  const Looks& looks;
};

}  // namespace sluice
