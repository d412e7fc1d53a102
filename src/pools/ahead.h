// The cluster at hand as the beginning of a simulation: the daemon runs ahead of itself; for a
// Slurm this process does, from its policy, queue and priorities, and how long jobs ran in the last
// weeks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "model/queued_job.h"
#include "sim/forks/learnt_run_times.h"
#include "slurm/run_times.h"
#include "state/snapshot.h"
#include "views/finish_card.h"

namespace sluice {

struct SlurmAhead {
  Instant asked;
  std::string cluster;
  std::shared_ptr<const Policy> policy;
  std::vector<QueuedJob> jobs;              // With the priorities that slurmctld gives them.
  std::map<std::string, PlannedJob> plans;  // squeue --start, by the job's id.
  std::vector<JobId> ids;                   // Of the jobs, in the snapshot.
  StateSnapshot state;
  LearntRunTimes learnt;
  std::vector<std::string> notes;  // What could not be seen.

  // One that is not submitted yet counts like the last of its user's in the queue, or else like the
  // last of all. 0: none waits.
  std::int64_t expected_priority(const std::string& user) const;
};

Result<SlurmAhead> look_ahead_on_slurm();

// Which pools would finish tasks first.
enum class AheadOf : std::uint8_t { kDaemon, kSlurm };
Result<FinishCard> finish_of(AheadOf cluster, FinishQuestion question);

}  // namespace sluice
