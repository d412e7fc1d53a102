// A job as an accounting log remembers it: what it asked for, when it ran, how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "model/job.h"
#include "model/outcome.h"

namespace sluice {

struct LoggedRecord {
  std::string id;  // "12", "12_3"
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;
  std::string program;  // Its name.
  Instant submitted;
  std::optional<Instant> started;
  std::optional<Duration> elapsed;
  std::optional<Duration> limit;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int64_t nodes = 0;
  std::optional<MemoryRequest> memory;
  JobState state = JobState::kCompleted;
  std::uint32_t line = 0;
};

}  // namespace sluice
