// What the machines have, what is free, and what is enforced there.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

std::vector<NodeLine> node_lines(const Engine& engine,
                                 const std::map<std::string, std::string>& enforces);

// Each type with its number, in the order of the node's GPUs; those of one type stand together.
std::vector<std::pair<std::string, int>> gpus_by_type(const Node& node);

}  // namespace sluice
