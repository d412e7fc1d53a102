// Everything about one job on a card.
#pragma once

#include <optional>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

// The record a reference means: a job, a task (of its own, or still in its array's record), or an
// array's record. Nothing where it is unknown or forgotten.
const Job* find_record(const State& state, JobId job, std::optional<std::uint32_t> task);
// The record of an array that waits: its own, else that of a task that came back; nullptr: none.
const Job* first_waiting(const State& state, JobId array);

// `task` names one that still waits in its array's record.
JobCard job_card(const Engine& engine, const Job& job, Instant now,
                 std::optional<std::uint32_t> task = std::nullopt);

// Of a job that has just ended, for its owner.
JobCard ended_card(const Ended& ended);

}  // namespace sluice
