// Instants and durations on a clock that cannot be read: time comes in with the input.
#pragma once

#include <chrono>
#include <cstdint>

namespace sluice {

// Milliseconds: Slurm counts seconds, a job of half a second on one machine needs more.
using Duration = std::chrono::duration<std::int64_t, std::milli>;

// Has no now(): a clock read in a pure room does not compile.
struct SchedulerClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SchedulerClock>;
  static constexpr bool is_steady = false;
};

// Milliseconds since the Unix epoch, or since the start of a story or a trace.
using Instant = SchedulerClock::time_point;

constexpr Duration seconds(std::int64_t n) { return std::chrono::seconds(n); }
constexpr Duration minutes(std::int64_t n) { return std::chrono::minutes(n); }
constexpr Instant instant_at(Duration since_epoch) { return Instant(since_epoch); }
// Whole seconds, rounded down, as Slurm prints them.
constexpr std::int64_t to_seconds(Duration d) {
  return std::chrono::floor<std::chrono::seconds>(d).count();
}
constexpr std::int64_t to_seconds(Instant t) { return to_seconds(t.time_since_epoch()); }

}  // namespace sluice
