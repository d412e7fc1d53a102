// Whether what a job waits for has happened.
#pragma once

#include <optional>
#include <vector>

#include "state/state.h"

namespace sluice {

enum class DependencyVerdict : std::uint8_t { kWaiting, kSatisfied, kNever };

// All terms of the job's request together. A job that is no longer remembered lifts the term, as
// in Slurm.
DependencyVerdict dependency_verdict(const State& state, const Job& job, Instant now);

// One task of an array that waits for the task of the same index (aftercorr).
DependencyVerdict correlated_verdict(const State& state, const Job& array, std::uint32_t task,
                                     Instant now);

// The same for each term of the job's request, in their order.
std::vector<DependencyVerdict> term_verdicts(const State& state, const Job& job, Instant now);

// When a term of the kind after:JOB+MINUTES comes true by time alone, the first that is later than
// `after`.
std::optional<Instant> dependency_due(const State& state, const Job& job, Instant after);

}  // namespace sluice
