// Everybody's jobs and tasks, those that have just ended too, as the lab looks at them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/outcome.h"

namespace sluice {

struct QueueRow {
  std::uint32_t job = 0;
  std::uint32_t array = 0;  // The job itself where it is no array.
  std::optional<std::uint32_t> task;
  JobState state = JobState::kPending;
  std::string reason;  // As squeue prints it, which may be a sentence.
  std::optional<Instant> start;
  std::optional<Instant> end;
  std::optional<Instant> preempted;
  std::vector<std::string> nodes;
  std::vector<std::string> planned;
  std::int64_t priority = 0;
  std::int64_t restarts = 0;
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;
  std::int64_t cpus = 0;
  std::string time_limit;
};

// Arrays task by task, in all states.
std::vector<std::string> squeue_command();

// An error where a record cannot be read: nothing that users choose is asked for.
Result<std::vector<QueueRow>> parse_queue_rows(std::string_view text);

}  // namespace sluice
