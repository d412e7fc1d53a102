// Which pools finish a set of tasks first: ways to share them out run ahead in virtual time, each
// on the cluster as it is, with everybody else's jobs.
#pragma once

#include <cstdint>

#include "sim/forks/learnt_run_times.h"
#include "state/snapshot.h"
#include "views/finish_card.h"

namespace sluice {

struct FinishBounds {
  std::uint32_t draws = 3;          // Runs ahead of each way, with run times drawn.
  std::uint32_t improvements = 12;  // Ways tried beyond the obvious ones.
  // Work is counted in about microseconds (steps.h).
  std::uint64_t work = 2'000'000;       // Of all together, about.
  std::uint64_t exact_work = 100'000;   // Of one run ahead, before it is tried in steps,
  std::uint64_t step_work = 1'000'000;  // and of one in steps, before the steps become longer.
  std::uint64_t seed = 1;
};

// Nothing else is submitted meanwhile. What is chosen ends no later than what the slots that are
// free now would choose, and no later than any pool alone.
FinishCard choose_by_finish(const StateSnapshot& from, Instant now, const FinishQuestion& question,
                            const LearntRunTimes& learnt, const FinishBounds& bounds = {});

}  // namespace sluice
