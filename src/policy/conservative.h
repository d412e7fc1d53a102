// Conservative backfill on one machine that is nothing but CPUs: everybody who waits has a place.
//
// A job is given the earliest place that is left when it comes. Whenever a run has ended, each that
// waits is taken out and placed anew, once, in order of submission. A place that has come is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/decisions.h"
#include "policy/queue.h"
#include "state/state.h"

namespace sluice {

// A type of its own beside those of the policy file: for machines of one node, which traces name.
inline constexpr auto kConservativeScheduler = static_cast<SchedulerType>(3);

class ConservativePlan {
 public:
  // `ended`: a run has ended, or nothing is known of what happened since the last pass.
  void pass(const State& state, const Queue& queue, Instant now, bool ended, Decisions& out);

 private:
  struct Place {
    JobId job;
    std::int32_t cpus = 0;
    Duration limit{0};
    Instant start;
    bool is_new = false;
  };
  // CPUs that are free from a time on, up to the next step's.
  struct Step {
    Instant from;
    std::int64_t free = 0;
  };

  void follow(const Queue& queue);
  void read(const State& state, Instant now);
  // Where a step begins at that time, from now on.
  std::size_t cut(Instant at);
  void take(const Place& place, std::int64_t cpus);
  Instant earliest(const Place& place) const;

  std::vector<Place> places_;  // In order of submission.
  std::vector<Place> before_;
  std::vector<Step> steps_;
};

}  // namespace sluice
