// Everybody's jobs as squeue lists them, for people: with names, times and what they asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/outcome.h"

namespace sluice {

// A job, a task of an array, or the tasks of an array that wait.
struct ListedJob {
  std::uint32_t job = 0;
  std::optional<std::uint32_t> array;
  std::optional<std::uint32_t> task;
  std::string waiting_tasks;  // "4-9%2", of an array that waits.
  std::int64_t tasks = 1;
  std::string name;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  JobState state = JobState::kPending;
  std::string reason;
  std::string nodes;
  std::int64_t priority = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::optional<Duration> limit;
  std::optional<Instant> submitted;
  std::optional<Instant> start;  // Expected, where it waits.
  std::optional<Instant> end;
};

std::vector<std::string> listed_jobs_command();
std::vector<ListedJob> parse_listed_jobs(std::string_view text);

}  // namespace sluice
