// Submissions and moves that were under way when text notes were still kept of them: read once and
// made into routed submissions, which are then finished like all others.
#pragma once

#include <functional>
#include <string>

#include "chains/open_chain.h"

namespace sluice {

void take_over_earlier_notes(const ChainPorts& ports,
                             const std::function<void(const std::string&)>& say);

}  // namespace sluice
