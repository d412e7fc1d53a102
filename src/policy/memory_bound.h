// MaxMemPerCPU and MaxMemPerNode: what becomes of a request that asks for more.
#pragma once

#include <optional>

#include "model/job.h"
#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

// Raises the CPUs of the request where its memory is more than its CPUs may have, as slurmctld
// does. Returns whether the partition (or else the cluster) allows that much memory at all.
bool fit_memory_bound(const Policy& policy, const Partition& partition, JobSpec& request);

struct MemoryBeyondBound {
  std::int64_t limit = 0;  // Megabytes on one node.
  std::int64_t asked = 0;
};
// The same bound for a job that waits: by how much it asks too much, or nothing.
std::optional<MemoryBeyondBound> memory_beyond_bound(const Policy& policy,
                                                     const Partition& partition,
                                                     const Shape& shape);

}  // namespace sluice
