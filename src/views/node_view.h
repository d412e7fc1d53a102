// What the machines have, what is free, and what is enforced there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

std::vector<NodeLine> node_lines(const Engine& engine,
                                 const std::map<std::string, std::string>& enforces);

}  // namespace sluice
