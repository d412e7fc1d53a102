// A chain and what was seen of its jobs, into what to do next. Asked twice, it answers the same.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "cluster/sighting.h"
#include "escalation/chain.h"
#include "escalation/packing.h"
#include "escalation/spread.h"

namespace sluice {

// Which of the patterns a task's stderr matches first. Files are read outside.
using MatchStderr = std::function<std::optional<std::size_t>(
    const Batch& batch, const TaskRun& run, const std::vector<std::string>& patterns)>;

struct Settling {
  TasksSettled settled;
  TasksSeen seen;  // Only what has changed.
  bool nothing() const {
    return settled.settlements.empty() && seen.running.empty() && seen.pending.empty();
  }
};

// What the sightings of the chain's batches tell. Not seen, and seen in a state that is no end,
// settles nothing.
Settling settle(const Chain& chain, std::span<const Sighting> sightings,
                const MatchStderr& match_stderr = {});

// Whether any task waits to be handed in now, rather than for others of its batch to end.
bool anything_due(const Chain& chain);

// Every task that is due and fits, by round and rung; over pools where something spreads them. Only
// the spread may fail.
Result<BatchesIntended> hand_in(const Chain& chain, const PackingLimits& limits, Instant now,
                                const Spread& spread = {});

struct Step {
  Settling settling;
  BatchesIntended intended;
  bool ended = false;  // No task waits or runs.
};
Step next_step(const Chain& chain, std::span<const Sighting> sightings, const PackingLimits& limits,
               Instant now, const MatchStderr& match_stderr = {});

// What becomes of a task that ended so.
Task after_run(const Ladder& ladder, const Task& task, const Request& asked, const Ending& ending,
               ChainState state);

// The job that carries a batch.
JobSpec batch_job(const Chain& chain, const Batch& batch);

}  // namespace sluice
