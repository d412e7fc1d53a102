// An engine brought to where a live queue is that is known from outside: a Slurm's.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "model/policy.h"
#include "model/queued_job.h"

namespace sluice {

// The engine must be new. Jobs are numbered from 1 in order of submission; the answer has their
// numbers, in the order of `jobs`. What was used in the past counts as nothing. Machines and
// partitions that jobs use must be in the policy, and its first number is 1.
std::vector<JobId> bring_to(Engine& engine, std::shared_ptr<const Policy> policy,
                            const std::vector<QueuedJob>& jobs);

}  // namespace sluice
