// MaxMemPerCPU and MaxMemPerNode: what becomes of a request that asks for more.
#pragma once

#include "model/job.h"
#include "model/policy.h"

namespace sluice {

// Raises the CPUs of the request where its memory is more than its CPUs may have, as slurmctld
// does. Returns whether the partition (or else the cluster) allows that much memory at all.
bool fit_memory_bound(const Policy& policy, const Partition& partition, JobSpec& request);

}  // namespace sluice
