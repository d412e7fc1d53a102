// Words that all of Slurm's commands print: numbers, times, states, and what stands for nothing.
// In tables fields end with 0x1F, records with 0x1E.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/outcome.h"

namespace sluice {

inline constexpr char kFieldEnd = '\x1f';
inline constexpr char kRecordEnd = '\x1e';

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Seconds since the epoch; "N/A", "NONE" and "Unknown" are no time.
std::optional<Instant> printed_time(std::string_view text);

// "N/A", "(null)", "None assigned" and nothing are nothing.
bool is_absent(std::string_view text);
std::string or_empty(std::string_view text);

// Also the words for what is being done to a job; each is on the way in one of our states.
// "CANCELLED by 1001" is CANCELLED. REQUEUED is how sacct names a run that was begun again.
std::optional<JobState> printed_state(std::string_view text);

}  // namespace sluice
