// The environment of a batch script, as slurmd 22.05 makes it.
#pragma once

#include <string>

#include "host/machine/assignment.h"

namespace sluice {

// NAME=value, each followed by a NUL. What the submission sent along comes first; the job's own
// facts replace what it says about SLURM_*: a job submitted from inside a job has its own values.
std::string job_environment(const RunFacts& facts, const Identity& identity);

}  // namespace sluice
