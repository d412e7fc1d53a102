// What the jobs of a workload ask for as their time limit.
#pragma once

#include <cstdint>

#include "sim/workloads/workload.h"

namespace sluice {

enum class Estimates : std::uint8_t {
  kGiven,     // As in the log.
  kExact,     // The run time itself, in whole minutes.
  kModelled,  // One of the round limits people ask for, mostly several times too long.
};

// Deterministic for the seed. Jobs that ran into their limit keep it.
void set_estimates(Workload& workload, Estimates estimates, std::uint64_t seed);

}  // namespace sluice
