// srun --jobid from outside a job: this process becomes one of the job's.
#pragma once

#include <string>

#include "shims/shim.h"

namespace sluice {

// Sets the variables that a process of that job has. False where it is no running job of this
// user, which the call was told.
bool enter_job(ShimCall& call, const std::string& job);

// Whether SLURM_JOB_ID, outside a job of this engine, names one of its running jobs. A job of
// another cluster may have left it, and has said which cluster that is.
bool is_named_by_environment(ShimCall& call, const std::string& job);

// Whether the job still has its nodes; true where the daemon does not say.
bool holds_on(EngineDoor& engine, const std::string& job);

}  // namespace sluice
