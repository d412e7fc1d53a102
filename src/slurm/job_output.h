// Where a job writes, by squeue.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct JobOutput {
  std::string stdout_path;
  std::string stderr_path;
  bool has_started = false;
};

// Of a job or a task: "12", "12_3".
std::vector<std::string> job_output_command(const std::string& job);
// Nothing where squeue does not know the job any more.
std::optional<JobOutput> parse_job_output(std::string_view text);

}  // namespace sluice
