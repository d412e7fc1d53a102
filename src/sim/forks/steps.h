// How time moves in a run ahead: event by event, or where that would be too much work, in steps.
#pragma once

#include <cstdint>

#include "engine/engine.h"
#include "sim/virtual_time.h"
#include "state/snapshot.h"

namespace sluice {

// All that happens within a step happens at its end, in one turn. Steps become longer with the time
// ahead; except the first ones they are never longer than a fortieth of it. Run times are rounded
// to steps at random, so that they are right on average.
class Steps {
 public:
  // `grain` is the first step; zero: event by event. Each `draw` rounds in its own way.
  Steps(Instant now, Duration grain, std::uint64_t draw) : now_(now), grain_(grain), draw_(draw) {}

  // Lets happen what comes next, at `next`.
  void go_on(VirtualTime& time, Instant next) const;
  // A run time so that both the step in which it begins and the one in which it ends even out.
  Duration rounded(const State& state, const Job& job, Duration run) const;

  // The step so far ahead.
  static Duration at(Duration ahead, Duration grain);
  // The first steps of another try, where a run ahead came so far before it was too much work.
  static Duration after(Duration grain, Duration reached);
  static bool are_longest(Duration grain);

  // What a turn costs, in about microseconds; counted, so that the same question has the same
  // answer everywhere.
  static std::uint64_t work_of(const Turn& turn, const State& state);
  // The snapshot for runs ahead in steps: only they themselves end what reaches its limit.
  static StateSnapshot snapshot_for(const StateSnapshot& from);

 private:
  Instant now_;
  Duration grain_;
  std::uint64_t draw_;
};

}  // namespace sluice
