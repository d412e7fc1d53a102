// One's own jobs that wait on Slurm, as routing sees them.
#pragma once

#include <vector>

#include "routing/rebalance.h"
#include "slurm/my_jobs.h"

namespace sluice {

// What a row of squeue asks for.
TaskNeed need_of_row(const MyJob& job, const TresRegistry& registry);

// Tasks of one array that wait in the same pool for the same reason are one group.
std::vector<WaitingTasks> waiting_groups(const MyJobs& mine, const TresRegistry& registry);

}  // namespace sluice
