// What can be done about a reason, with the command to type.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

// Changes of the request are tried on the state first: only those that help are listed.
std::vector<HelpLine> help_for(const Engine& engine, const Job& job, const Reason& reason,
                               const std::string& id, Instant now);

}  // namespace sluice
