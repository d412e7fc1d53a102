// What `scontrol show reservation` printed, read into the nodes that are kept.
#pragma once

#include <string_view>
#include <vector>

#include "cluster/description.h"

namespace sluice {

std::vector<KeptNodes> read_reservations(std::string_view text, const Policy& policy);

}  // namespace sluice
