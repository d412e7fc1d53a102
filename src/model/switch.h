// A switch of the network as the policy declares it: TopologyPlugin=topology/tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace sluice {

// It joins nodes, or other switches.
struct Switch {
  std::string name;
  std::vector<NodeId> nodes;
  std::vector<std::uint32_t> switches;  // Below it: their places in the policy's table.
  friend bool operator==(const Switch&, const Switch&) = default;
};

}  // namespace sluice
