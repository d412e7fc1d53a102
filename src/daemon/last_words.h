// Why a job is told to end, as slurmstepd writes it into the job's output.
#pragma once

#include <string>

#include "state/state.h"

namespace sluice {

// "slurmstepd-n1: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-15T09:00:00 DUE TO TIME LIMIT ***",
// with the end of its line. `now` is the time of day.
std::string last_words(const State& state, const Job& job, Instant now);

}  // namespace sluice
