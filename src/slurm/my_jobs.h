// One's own jobs as squeue shows them, with what was written into their comments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/sighting.h"
#include "model/job.h"

namespace sluice {

struct MyJob {
  JobId job;  // The array's, of a task.
  Instant submitted;
  SeenTask seen;
  std::string comment;
  std::string name;
  std::string tres;  // Held, or asked for: "cpu=8,mem=48G,node=1,gres/gpu=1"
  std::optional<Duration> time_limit;
  std::int64_t priority = 0;
  std::string user;
  // What it asks for; nothing where this squeue does not show it.
  std::shared_ptr<const JobSpec> request;
};

// Arrays task by task, also what has ended lately.
std::vector<std::string> my_jobs_command();
// The same of one job of anybody.
std::vector<std::string> one_job_command(std::uint32_t job);
struct MyJobs {
  std::vector<MyJob> jobs;
  std::size_t unreadable = 0;
};
MyJobs parse_my_jobs(std::string_view text);

}  // namespace sluice
