// A partition as the policy declares it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/preemption.h"
#include "model/tres.h"

namespace sluice {

enum class OverSubscribe : std::uint8_t { kNo, kYes, kForce, kExclusive };
enum class PartitionState : std::uint8_t { kUp, kDown, kDrain, kInactive };
// What a job gets whole of a node: cores (CR_Core), or sockets (CR_Socket).
enum class CpuUnit : std::uint8_t { kCore, kSocket };

// What comes with each GPU of a job that does not say: DefCpuPerGPU and DefMemPerGPU.
struct WithGpu {
  std::optional<std::int32_t> cpus;
  std::optional<std::int64_t> memory_mb;
  friend bool operator==(const WithGpu&, const WithGpu&) = default;
};

struct Partition {
  std::string name;
  std::vector<NodeId> nodes;
  bool is_default = false;
  PartitionState state = PartitionState::kUp;
  std::optional<Duration> max_time;
  std::optional<Duration> default_time;
  std::optional<std::int32_t> max_nodes;
  std::int32_t min_nodes = 0;
  std::int32_t priority_tier = 1;
  std::int32_t priority_job_factor = 1;
  std::optional<QosId> qos;
  std::optional<std::int64_t> default_mem_per_cpu_mb;
  std::optional<std::int64_t> default_mem_per_node_mb;
  WithGpu with_gpu;
  std::optional<std::int64_t> max_mem_per_cpu_mb;
  std::optional<std::int64_t> max_mem_per_node_mb;
  std::optional<std::int32_t> max_cpus_per_node;
  bool least_loaded = false;        // LLN: the node with the largest part of its CPUs free first.
  std::optional<CpuUnit> cpu_unit;  // Nothing: as the cluster.
  bool exclusive_user = false;      // Nodes go to the jobs of one user at a time.
  std::optional<Duration> over_time_limit;  // Nothing: the cluster's.
  OverSubscribe oversubscribe = OverSubscribe::kNo;
  std::int32_t oversubscribe_jobs = 4;  // Slurm's default for YES and FORCE without a number.
  std::optional<PreemptMode> preempt_mode;
  std::optional<Duration> grace_time;
  TresWeights billing_weights;
  // Empty allow lists allow everybody; a deny list counts only where its allow list is empty.
  std::vector<std::string> allow_accounts;
  std::vector<std::string> deny_accounts;
  std::vector<std::string> allow_qos;
  std::vector<std::string> deny_qos;
  std::vector<std::string> allow_groups;
  friend bool operator==(const Partition&, const Partition&) = default;
};

}  // namespace sluice
