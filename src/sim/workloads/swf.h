// The Standard Workload Format: 18 columns a job, header lines begin with ';'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/workloads/bad_lines.h"
#include "sim/workloads/workload.h"

namespace sluice {

// The longest number of a trace. Longer ones would be years that no trace has, and could not be
// kept in milliseconds.
inline constexpr std::ptrdiff_t kMostSwfDigits = 12;
inline constexpr std::int64_t kMostSwfNumber = 999'999'999'999;

// Users are called u1, u2, …, groups g1, g2, … and become accounts; where a trace says -1, the
// name is "unknown". Queues (q1), partitions (p1) and programs (e1) are kept for mapping rules. A
// request of 0 or less falls back to the allocated count; without an estimate the run time is the
// limit. Submission times are as recorded: the columns for think time are not used.
Result<Workload> parse_swf(std::string_view text, std::string_view name,
                           BadLines bad_lines = BadLines::kStop);

// Number, submission and wait of every job of a schedule, in order of their numbers.
struct SwfWait {
  std::uint32_t number = 0;
  Instant submit;
  std::optional<Duration> wait;  // Nothing where it never started.
};
Result<std::vector<SwfWait>> parse_swf_waits(std::string_view text, std::string_view name);

// What a schedule says of an item beyond the workload.
struct SwfRun {
  Duration wait{0};
  Duration run{0};
  std::int32_t cpus = 0;
};

// The workload as a trace. `run_of` tells what became of an item (by its index): its wait goes
// into column 3; nothing is -1. Without it, it is the workload itself that is written.
std::string write_swf(const Workload& workload,
                      const std::function<std::optional<SwfRun>(std::size_t)>& run_of = {});

// Plain or gzipped, told by its first bytes; "-" is standard input.
inline constexpr std::size_t kLongestTrace = std::size_t{1} << 30;
Result<std::string> read_maybe_gzipped(const std::string& path, std::size_t most = kLongestTrace);

}  // namespace sluice
