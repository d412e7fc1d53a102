// A live Slurm's policy, queue and changes, through sacctmgr, scontrol and squeue.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/queued_job.h"
#include "policyfile/plan/plan.h"

namespace sluice {

// Everybody's jobs that wait or run.
Result<std::vector<QueuedJob>> queued_jobs();
// An error of kind kNotAllowed where this user is not an administrator.
Result<void> may_change_slurm();
// One step; doing it twice is harmless.
Result<void> carry_out_step(const PlanStep& step);

}  // namespace sluice
