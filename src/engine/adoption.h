// Whether another policy may come into force while jobs are there.
#pragma once

#include <string>

#include "state/state.h"

namespace sluice {

// What stands in the way, or "": a node that a job holds would leave or shrink, or a partition that
// a job asks for would leave.
std::string adoption_problem(const State& state, const Policy& next);

}  // namespace sluice
