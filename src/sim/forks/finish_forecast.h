// Which pools finish a set of tasks first: ways to share them out run ahead in virtual time, each
// on the cluster as it is, with everybody else's jobs.
#pragma once

#include <cstdint>

#include "sim/forks/learnt_run_times.h"
#include "state/snapshot.h"
#include "views/finish_card.h"

namespace sluice {

struct FinishBounds {
  std::uint32_t draws = 3;            // Runs ahead of each way, with run times drawn.
  std::uint32_t improvements = 12;    // Ways tried beyond the obvious ones.
  std::uint64_t turns = 400'000;      // Of the engine, all together, about.
  std::uint64_t run_turns = 150'000;  // Of one run ahead, before it is given up.
  std::uint64_t seed = 1;
};

// Nothing else is submitted meanwhile. What is chosen ends no later than what the slots that are
// free now would choose, and no later than any pool alone.
FinishCard choose_by_finish(const StateSnapshot& from, Instant now, const FinishQuestion& question,
                            const LearntRunTimes& learnt, const FinishBounds& bounds = {});

}  // namespace sluice
