// What one task needs on one device: how much, for how long, and where it may run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/job.h"
#include "model/policy.h"
#include "model/tres.h"

namespace sluice {

// The two ways a task can run.
enum class Device : std::uint8_t { kGpu, kCpu };
std::string_view device_name(Device device);  // "gpu", "cpu"

struct TaskNeed {
  std::int64_t cpus = 1;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::string gpu_type;  // Empty: any.
  std::int64_t nodes = 1;
  std::optional<Duration> time_limit;
  std::vector<std::string> partitions;
  // The whole request, where it is known: how tasks are dealt out, features, named nodes.
  std::shared_ptr<const JobSpec> request;

  // In every dimension but billing, which depends on where it runs.
  TresVector tres(const TresRegistry& registry) const;
  // The same with what the partition bills; without one CPUs are billed, as by default.
  TresVector billed(const Policy& policy, std::optional<PartitionId> partition) const;
  friend bool operator==(const TaskNeed&, const TaskNeed&) = default;
};

// What a job, or each task of an array, asks for.
TaskNeed need_of(const JobSpec& spec);

}  // namespace sluice
