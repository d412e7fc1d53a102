// A submission as a person would type it: a line for a shell that does the whole job.
#pragma once

#include <string>

#include "model/job.h"

namespace sluice {

// sbatch's on Slurm, `sluice submit` on this machine. Variables that differ from this process's own
// come before it; a script that is not a file, or asks for GPUs that the job does not, goes through
// a pipe.
std::string submit_line(const JobSpec& spec, bool slurm);

}  // namespace sluice
