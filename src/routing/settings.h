// What a person says about routing: which accounts, what a task needs on each device, what to
// leave out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/task_need.h"

namespace sluice {

// An account left out for good, or until somebody looks again. Dates as 2026-04-08.
struct Block {
  std::string account;
  std::string reason;
  std::string since;
  std::string review;  // Empty: never.
  friend bool operator==(const Block&, const Block&) = default;
};

// Absent parts are the job's own, or the cluster's.
struct DeviceSettings {
  std::vector<std::string> partitions;
  std::optional<std::int64_t> cpus;
  std::optional<std::int64_t> memory_mb;
  std::optional<std::int64_t> gpus;
  std::string gpu_type;
  std::optional<Duration> time_limit;
  friend bool operator==(const DeviceSettings&, const DeviceSettings&) = default;
};

// What one step of a workflow needs on each device.
struct ShapeSettings {
  DeviceSettings gpu;
  DeviceSettings cpu;
  friend bool operator==(const ShapeSettings&, const ShapeSettings&) = default;
};

struct RoutingSettings {
  std::vector<std::string> accounts;                    // Empty: all that the user may use.
  std::map<std::string, std::vector<std::string>> qos;  // By account; else the default QoS.
  std::vector<std::string> burst_suffixes = {"-b"};     // Memory is not guaranteed there.
  std::int64_t cpu_percent = 85;       // Of a limit on CPUs so much is for CPU tasks.
  std::int64_t cpu_time_factor = 5;    // A task on CPUs takes so much longer.
  Duration stuck_after = minutes(10);  // Before a waiting task is moved.
  DeviceSettings gpu;
  DeviceSettings cpu;
  std::map<std::string, ShapeSettings> shapes;  // By name.
  std::vector<Block> blocked;

  const DeviceSettings& device(Device which) const { return which == Device::kGpu ? gpu : cpu; }
  const Block* block_of(std::string_view account) const {
    for (const Block& block : blocked)
      if (block.account == account) return &block;
    return nullptr;
  }
  bool is_burst(std::string_view name) const {
    for (const std::string& suffix : burst_suffixes)
      if (!suffix.empty() && name.size() > suffix.size() && name.ends_with(suffix)) return true;
    return false;
  }
  friend bool operator==(const RoutingSettings&, const RoutingSettings&) = default;
};

// The settings with a named shape laid over what they say of devices. Without a name that of the
// job counts, where a shape is called so.
RoutingSettings with_shape(RoutingSettings settings, const std::string& shape,
                           const std::string& job_name);

}  // namespace sluice
