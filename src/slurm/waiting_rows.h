// One's own jobs that wait, from squeue's rows.
#pragma once

#include <vector>

#include "cluster/waiting_tasks.h"
#include "slurm/my_jobs.h"

namespace sluice {

// What a row of squeue asks for.
TaskNeed need_of_row(const MyJob& job);

// Tasks of one array that wait in the same pool for the same reason are one group.
std::vector<WaitingTasks> waiting_groups(const MyJobs& mine);

}  // namespace sluice
