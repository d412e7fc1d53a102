// What this user's commands have done since the first of them: submissions, routing decisions,
// calls of Slurm's commands, and retries of chains that were removed. Each process counts for
// itself and adds it to one file at its end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

enum class CountOf : std::uint8_t { kSubmit, kRoute, kSlurmCall, kRetry };

// The label says which: a result, "ACCOUNT QOS DEVICE", a command, a cause.
void count_up(CountOf what, std::string_view label, std::int64_t by = 1);
// Calls of run_command: Slurm's own are counted.
void count_command(const std::string& program);
// Adds what was counted to the file. What cannot be written is lost: nothing depends on it.
void keep_counts();

using Counts = std::map<std::pair<CountOf, std::string>, std::int64_t>;
Counts kept_counts();

}  // namespace sluice
