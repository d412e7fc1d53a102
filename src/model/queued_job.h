// A job that waits or runs on some cluster, as that cluster shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"
#include "model/outcome.h"

namespace sluice {

// What it holds on one node.
struct QueuedShare {
  std::string node;
  std::int32_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::uint32_t> gpus;  // By number.
};

struct QueuedJob {
  std::string id;   // "12", "12_3"
  JobSpec request;  // With account, QoS, partition and limit filled in.
  JobState state = JobState::kPending;
  std::string reason;  // The cluster's own word, while it waits.
  Instant submitted;
  std::optional<Instant> started;
  std::vector<QueuedShare> shares;
  // Held, or waiting for a time or another job: no policy lets it start.
  bool kept_back = false;
};

}  // namespace sluice
