// What a new policy would do to a queue that is known from outside: a live Slurm's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/policy.h"
#include "model/queued_job.h"
#include "views/policy_effects.h"

namespace sluice {

// The same queue goes through the engine under both policies; what is decided differently comes
// back, in the order of the jobs. What was used in the past is not known and counts as nothing
// under both. Machines and partitions that jobs use must be in both policies.
std::vector<JobEffect> blast_radius(std::shared_ptr<const Policy> before,
                                    std::shared_ptr<const Policy> after,
                                    const std::vector<QueuedJob>& jobs, Instant now);

}  // namespace sluice
