// How often each habit of a made-up workload comes up, so that no limit is asked for more than the
// machine is.
#pragma once

#include <vector>

#include "model/policy.h"
#include "sim/workloads/workload.h"

namespace sluice {

struct Habit {
  WorkRequest request;
  double weight = 1;  // How often it is drawn, beside the others.
};

// A limit that lets two jobs of a user run at a time is full long before the cluster is: jobs under
// it would queue up for ever and say nothing about the rest. Habits under such limits come up less
// often, until none is asked for more than the busiest of CPUs, GPUs and memory.
void balance_habits(const Policy& policy, const Workload& names, std::vector<Habit>& habits);

}  // namespace sluice
