// Journals from before TaskPutInLine: which tasks were in line when such a journal ends.
#pragma once

#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace sluice {

class State;

// A task in line had left its array, and lacked everything else that can happen to a task.
std::vector<JobId> earlier_lines(const State& state, Instant now);

}  // namespace sluice
