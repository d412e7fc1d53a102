// What may be changed about a job that waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace sluice {

// What `scontrol update` can change; absent parts stay as they are.
struct JobChange {
  std::optional<std::string> account;
  std::optional<std::string> qos;
  std::optional<std::vector<std::string>> partitions;
  std::optional<Duration> time_limit;
  std::optional<MemoryRequest> memory;
  std::optional<std::int32_t> min_nodes;
  std::optional<std::int32_t> max_nodes;
  std::optional<std::int32_t> tasks;
  std::optional<std::int32_t> cpus_per_task;
  std::optional<std::vector<GpuRequest>> gpus;
  std::optional<std::int64_t> nice;
  std::optional<std::int64_t> priority;
  std::optional<Instant> begin;
  std::optional<Dependencies> dependencies;
  std::optional<std::string> name;
  std::optional<std::string> comment;
  std::optional<std::uint32_t> throttle;   // Of the array; 0 lifts it.
  std::optional<std::string> reservation;  // Empty: none.
};

}  // namespace sluice
