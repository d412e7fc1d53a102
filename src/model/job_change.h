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
  std::optional<std::string> wckey;
  std::optional<std::vector<std::string>> require_nodes;
  std::optional<std::vector<std::string>> exclude_nodes;
  std::optional<Constraint> constraint;  // Without alternatives: none.
  std::optional<std::vector<LicenseRequest>> licenses;
  std::optional<bool> any_license;  // Said with `licenses`.
  std::optional<NodeSharing> sharing;
  std::optional<bool> contiguous;
  std::optional<bool> requeue;
  // Of these, 0 takes back what was asked for.
  std::optional<std::int32_t> tasks_per_node;
  std::optional<std::int32_t> min_cpus_per_node;
  std::optional<std::int32_t> min_sockets;
  std::optional<std::int32_t> min_cores_per_socket;
  std::optional<std::int32_t> threads_per_core;
  std::optional<std::int32_t> cpus_per_gpu;
  std::optional<std::int32_t> max_switches;
  std::optional<Duration> switch_wait;
  std::optional<Duration> time_min;
  std::optional<Instant> deadline;
  std::optional<std::string> stdout_path;
  std::optional<std::string> working_directory;
  std::vector<EnvironmentVariable> environment;  // Set among the job's own.
};

}  // namespace sluice
