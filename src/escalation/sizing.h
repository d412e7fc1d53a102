// How much the tasks of a chain should ask for first, learnt from those that have ended.
//
// Asking for little wastes a run where the task needs more; asking for much wastes what is never
// used. With the needs of some tasks known, the best first request is the one that would have held
// the least for all of them, retries included.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "escalation/chain.h"

namespace sluice {

// One task's need of memory or time, and for how long every unit of it is held.
struct Need {
  std::uint64_t amount = 0;
  std::uint64_t held_for = 1;
  friend auto operator<=>(const Need&, const Need&) = default;
};

// What a task with this need holds in all its attempts, for each unit of time: the first request,
// then every step above it up to the one that suffices.
std::uint64_t cost_of(std::uint64_t first, std::uint64_t need,
                      std::span<const std::uint64_t> steps);
// The same for all of them, by how long they hold it.
std::uint64_t cost_of_all(std::uint64_t first, std::span<const Need> needs,
                          std::span<const std::uint64_t> steps);

// The first request that costs least, one of the needs or of the steps; of equal ones the largest,
// which needs the fewest retries. Steps ascend; nothing beyond the last can be asked for. Nothing
// where there are no needs or no steps.
std::optional<std::uint64_t> best_first(std::span<const Need> needs,
                                        std::span<const std::uint64_t> steps);

// What to ask for next, or nothing while too little is known or it would save too little. Runs are
// all that have ended, by task and batch.
std::optional<Sizing> next_sizing(const Chain& chain, std::span<const TaskRun> runs);

// Whether sizing could still change anything: first attempts that wait.
bool sizing_matters(const Chain& chain);
// Whether twice as many tasks have ended as when it was last decided.
bool knows_enough_to_size(const Chain& chain);

// The rung that holds what is asked for, and what exactly a first attempt asks for on it.
struct SizedRequest {
  Rung rung;
  Request request;
};
SizedRequest sized_request(const Ladder& ladder, const Sizing& sizing);

// First attempts in open arrays that wait and ask for something else, one part for each array.
std::vector<Batch> parts_to_resize(const Chain& chain, Instant now);

// Steps of a ladder, ascending and different. Memory is one node's.
std::vector<std::uint64_t> memory_steps(const Ladder& ladder);
std::vector<std::uint64_t> time_steps(const Ladder& ladder);

}  // namespace sluice
