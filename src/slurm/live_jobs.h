// Everybody's waiting and running jobs, from squeue and scontrol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/queued_job.h"

namespace sluice {

// Both need SLURM_TIME_FORMAT=%s in their environment.
std::vector<std::string> live_jobs_command();
std::vector<std::string> job_details_command();

// `details` is what the second command printed. Jobs carry no names: users choose those.
struct LiveJobs {
  std::vector<QueuedJob> jobs;
  std::size_t unreadable = 0;
  std::vector<std::string> missing;  // Fields that this squeue does not know.
};
LiveJobs parse_live_jobs(std::string_view text, std::string_view details);

}  // namespace sluice
