// The states of a job, and how a run of it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace sluice {

enum class JobState : std::uint8_t {
  kPending,
  kRunning,
  kSuspended,
  kCompleting,
  // From here on the job has ended.
  kCompleted,
  kCancelled,
  kFailed,
  kTimeout,
  kNodeFail,
  kPreempted,
  kOutOfMemory,
  kDeadline,
  kBootFail,
};

constexpr bool has_ended(JobState state) { return state >= JobState::kCompleted; }
// Holds nodes: running, suspended or being ended.
constexpr bool holds_nodes(JobState state) {
  return state == JobState::kRunning || state == JobState::kSuspended ||
         state == JobState::kCompleting;
}
std::string_view slurm_name(JobState state);                     // "RUNNING", "OUT_OF_MEMORY"
std::string_view short_name(JobState state);                     // "R", "OOM"
std::optional<JobState> job_state_named(std::string_view name);  // Either, any case.

// What became of one run.
struct Outcome {
  JobState state = JobState::kCompleted;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::int64_t max_rss_kb = 0;
  Duration cpu_time{0};
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace sluice
