// What of a policy a workload does not touch: a change there makes no difference to its figures.
#pragma once

#include <string>
#include <vector>

#include "model/policy.h"
#include "sim/workloads/workload.h"

namespace sluice {

// Sentences for people: "0 of 3,000 jobs use QoS interactive: its limits make no difference here."
std::vector<std::string> unexercised(const Policy& policy, const Workload& workload);

}  // namespace sluice
