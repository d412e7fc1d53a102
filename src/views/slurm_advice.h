// What would help a job that waits on a real Slurm. Every change is tried on the observed cluster
// first: only those with which the job has room are listed.
#pragma once

#include <optional>
#include <vector>

#include "views/slurm_why.h"

namespace sluice {

// Whose limits count for the job, and where it may run; nothing where its account is not known.
std::optional<Seat> seat_of_waiting(const SlurmWhy& why, const Description& seen);

// The card's gates, holders and time are already there.
std::vector<WhatHelps> advice_for(const SlurmWhy& why, const SlurmWhyCard& card,
                                  const Description& seen, const RoutingSettings& settings);

}  // namespace sluice
