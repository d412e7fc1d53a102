// What somebody could do about a reason, with the command to type.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

std::vector<HelpLine> help_for(const Engine& engine, const Job& job, const Reason& reason,
                               const std::string& id);

}  // namespace sluice
