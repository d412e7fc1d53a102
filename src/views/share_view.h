// The account tree with its shares, and what each has used and holds.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

std::vector<ShareLine> share_lines(const Engine& engine);

}  // namespace sluice
