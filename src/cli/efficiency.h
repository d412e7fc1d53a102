// What jobs asked for and what they used, and what to ask for next time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/connection.h"
#include "views/rows.h"

namespace sluice {

// One job, or the tasks of one array together.
struct Efficiency {
  std::string id;
  std::string name;
  std::int64_t runs = 0;
  std::int64_t cpus = 0;       // Of one run.
  std::int64_t memory_mb = 0;  // Of one run.
  std::int64_t gpus = 0;
  std::optional<Duration> limit;
  Duration longest{0};
  std::int64_t telling = 0;  // Runs that ended by themselves or by a limit,
  Duration needed{0};        // and the longest of these.
  Duration elapsed{0};       // Of all runs together,
  Duration cpu_time{0};      // and what they computed in it.
  std::int64_t peak_mb = 0;  // The most that one run used.
  Duration gpu_measured{0};  // Of the runs whose GPUs were measured,
  Duration gpu_busy{0};      // and of it what those were busy.
  std::int64_t gpu_memory_mb = 0;
  std::int64_t out_of_memory = 0;
  std::int64_t out_of_time = 0;

  std::optional<std::int64_t> cpu_percent() const;
  std::optional<std::int64_t> memory_percent() const;
  std::optional<std::int64_t> time_percent() const;
  std::optional<std::int64_t> gpu_percent() const;
  // "-c 2 --mem=1300M -t 20": with room to spare; "" where nothing is known.
  std::string advice() const;
};

// Runs that ended, put together by array; with what their GPUs did, where the daemon measured it.
std::vector<Efficiency> efficiencies_of(const std::vector<HistoryLine>& runs);

// Of these jobs, for people.
Result<std::string> efficiency_text(Connection& daemon, const std::string& jobs);

}  // namespace sluice
