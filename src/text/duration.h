// Durations and time limits: "90", "1:30", "1-00:00:00", "UNLIMITED", and "2h30m" in our own files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

// A time limit as Slurm spells it: a duration, or none at all (UNLIMITED, INFINITE, -1).
struct TimeLimit {
  std::optional<Duration> duration;
  bool unlimited() const { return !duration.has_value(); }
  friend bool operator==(const TimeLimit&, const TimeLimit&) = default;
};

// Slurm keeps seconds in 32 bits and wraps beyond 68 years; we refuse instead.
inline constexpr Duration kLongestDuration = seconds(2147483647);

// minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes,
// days-hours:minutes:seconds, UNLIMITED, INFINITE, -1. To the second; parts may exceed 59.
Result<TimeLimit> parse_duration(std::string_view text);

// The same as sbatch takes it for --time: rounded up to whole minutes, and 0 is UNLIMITED.
Result<TimeLimit> parse_job_time_limit(std::string_view text);

// Slurm's notation or units: "30s", "90m", "1h", "7d", "2w", "2h30m", "1d12h", "500ms".
Result<TimeLimit> parse_friendly_duration(std::string_view text);

// As scontrol, sacct and sacctmgr print limits: "01:00:00", "1-00:00:00", "UNLIMITED".
std::string format_time_limit(const TimeLimit& limit);
std::string format_duration(Duration duration);

// As squeue prints times and limits: "5:28", "1:00:00", "1-02:03:04", "UNLIMITED".
std::string format_short_duration(Duration duration);
std::string format_short_time_limit(const TimeLimit& limit);

// "2h30m", "45s", "1s500ms": text that parse_friendly_duration reads back.
std::string format_friendly_duration(Duration duration);

}  // namespace sluice
