// scontrol update.
#pragma once

#include <string>
#include <vector>

#include "shims/shim.h"

namespace sluice {

// KEY=VALUE words.
int update(ShimCall& call, const std::vector<std::string>& words);

}  // namespace sluice
