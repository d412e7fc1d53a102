// What running jobs count in limits on run minutes.
#pragma once

#include <vector>

#include "state/state.h"

namespace sluice {

// The time limits of the running jobs of each association and QoS, in seconds times what they hold,
// whatever has passed of them: with priority/basic slurmctld never takes off what has been run.
struct WholeRuns {
  std::vector<TresVector> associations;
  std::vector<TresVector> qos;
};
WholeRuns whole_runs(const State& state);

}  // namespace sluice
