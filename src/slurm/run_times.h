// How long everybody's jobs ran, when jobs started, and when squeue expects those that wait to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace sluice {

// Ended runs with their limits, as sacct tells them. Names are not asked for: users choose those.
struct RunTime {
  std::string user;
  Duration limit{0};
  Duration run{0};
};
std::vector<std::string> run_times_command(Instant since);
// Runs without a limit, and those that were cancelled, are left out.
std::vector<RunTime> parse_run_times(std::string_view text);

struct JobStart {
  std::string id;  // "12", "12_3"
  Instant submitted;
  std::optional<Instant> started;
};
// Of jobs by their numbers.
std::vector<std::string> job_starts_command(std::span<const std::string> jobs, Instant since);
std::vector<JobStart> parse_job_starts(std::string_view text);

// What slurmctld plans for those that wait: squeue --start, and their priority.
struct PlannedJob {
  std::string id;
  std::optional<Instant> start;
  std::int64_t priority = 0;
};
std::vector<std::string> planned_jobs_command();
std::vector<PlannedJob> parse_planned_jobs(std::string_view text);

}  // namespace sluice
