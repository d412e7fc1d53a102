// A job on some cluster, and what was last seen of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/outcome.h"

namespace sluice {

// Numbers are used again after a reset, so the time of submission belongs to the name.
struct RemoteJob {
  JobId job;
  Instant submitted;
  friend auto operator<=>(const RemoteJob&, const RemoteJob&) = default;
};

// A job, a whole array, or one task of it.
struct RemoteRef {
  RemoteJob job;
  std::optional<std::uint32_t> task;
  friend auto operator<=>(const RemoteRef&, const RemoteRef&) = default;
};

// One job or array task as the cluster sees it.
struct SeenTask {
  std::optional<std::uint32_t> task;
  JobState state = JobState::kPending;
  std::string reason;  // Slurm's word, of a waiting one.
  std::string account;
  std::string qos;
  std::string partition;
  std::vector<std::string> nodes;
  std::optional<Instant> start;
  std::optional<Instant> end;
  std::int32_t restarts = 0;
  // Of what has ended. Memory and CPU time stand on step rows: nothing where they were not kept.
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::optional<std::int64_t> max_rss_kb;
  std::optional<Duration> cpu_time;
  bool step_out_of_memory = false;  // A step of it ran out of memory, whatever became of the job.
  friend bool operator==(const SeenTask&, const SeenTask&) = default;
};

// Not seen is an answer: it has not failed. A source that did not answer leaves `complete` false.
struct Sighting {
  RemoteRef ref;
  std::vector<SeenTask> tasks;  // Empty: not seen.
  bool complete = true;         // Every source that might know it has answered.
  Instant as_of;
};

}  // namespace sluice
