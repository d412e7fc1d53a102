// Nodes and what is free on them, from `scontrol --oneliner --details show node`.
#pragma once

#include <string_view>

#include "cluster/description.h"

namespace sluice {

// Fills policy.nodes and out.nodes.
void read_nodes(std::string_view text, Policy& policy, Description& out);

// Nodes in maintenance are kept by a reservation: where that is seen, it says whose jobs may start
// there, and the nodes are usable.
void give_back_maintained(std::string_view text, const Policy& policy, Description& out);

// "IDLE", "MIXED+DRAIN", "DOWN*": whether jobs may start there.
bool is_usable_state(std::string_view state);

}  // namespace sluice
