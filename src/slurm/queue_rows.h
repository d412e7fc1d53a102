// The queue as squeue prints it for programs: one line a job or task, fields apart by 0x1F.
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

// squeue with the options that make it print what parse_queue_rows reads; needs
// SLURM_TIME_FORMAT=%s in its environment.
std::vector<std::string> squeue_command();

// A line with another number of fields is refused: somebody chose a name with 0x1F in it, or it
// is another squeue.
Result<std::vector<QueueRow>> parse_queue_rows(std::string_view text);

// The one word behind a reason: squeue prints sentences where slurmctld knows more.
std::string reason_word(std::string_view printed);

}  // namespace sluice
