// What squeue and sacct know of some jobs, put together.
#pragma once

#include <span>
#include <vector>

#include "cluster/sighting.h"
#include "slurm/accounting_rows.h"
#include "slurm/my_jobs.h"

namespace sluice {

// The jobs whose end sacct has to be asked for: arrays, because tasks that ended earlier have
// left the queue; and what is not in the queue, or has ended there.
std::vector<JobId> to_ask_accounting(std::span<const RemoteRef> refs, std::span<const MyJob> queue);

// What is in the queue and has not ended is believed before anything else: the accounting comes
// later. Of what has ended the accounting knows more.
std::vector<SeenTask> put_together(const RemoteRef& ref, std::span<const MyJob> queue,
                                   std::span<const AccountedTask> accounted);

}  // namespace sluice
