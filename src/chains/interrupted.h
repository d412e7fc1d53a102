// Submissions and moves that a process left half done: the next command, whichever it is, finishes
// or undoes them.
#pragma once

#include <functional>
#include <string>

#include "chains/open_chain.h"

namespace sluice {

// Cheap where there is nothing to do: two empty folders are looked at. What cannot be done now, for
// instance because the cluster does not answer, is tried again by a command half a minute later.
void tidy_interrupted(const ChainPorts& ports, const std::function<void(const std::string&)>& say);

}  // namespace sluice
