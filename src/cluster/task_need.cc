// As slurmctld counts a request before it knows the nodes.
#include "cluster/task_need.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/billing.h"

namespace sluice {

std::string_view device_name(Device device) { return device == Device::kGpu ? "gpu" : "cpu"; }

TresVector TaskNeed::tres(const TresRegistry& registry) const {
  TresVector out;
  out[kTresCpu] = cpus;
  out[kTresMem] = memory_mb;
  out[kTresNode] = nodes;
  out[kTresGpu] = gpus;
  if (!gpu_type.empty())
    if (const auto typed = registry.find(fmt::format("gres/gpu:{}", gpu_type))) out[*typed] = gpus;
  return out;
}

TresVector TaskNeed::billed(const Policy& policy, std::optional<PartitionId> partition) const {
  TresVector out = tres(policy.tres);
  out[kTresBilling] = partition ? billing_of(policy, *partition, out) : cpus;
  return out;
}

TaskNeed need_of(const JobSpec& spec) {
  TaskNeed out;
  out.nodes = std::max(1, spec.min_nodes.value_or(1));
  const std::int64_t tasks =
      spec.tasks.value_or(spec.tasks_per_node.value_or(1) * static_cast<std::int32_t>(out.nodes));
  for (const GpuRequest& gpu : spec.gpus) {
    std::int64_t count = gpu.count;
    if (gpu.per == GpusPer::kNode) count *= out.nodes;
    if (gpu.per == GpusPer::kTask) count *= tasks;
    out.gpus += count;
    if (!gpu.type.empty()) out.gpu_type = gpu.type;
  }
  out.cpus = tasks * spec.cpus_per_task.value_or(1);
  if (spec.cpus_per_gpu) out.cpus = std::max(out.cpus, *spec.cpus_per_gpu * out.gpus);
  out.cpus = std::max(out.cpus, out.nodes);
  if (spec.memory) {
    switch (spec.memory->per) {
      case MemoryPer::kNode:
        out.memory_mb = spec.memory->mb * out.nodes;
        break;
      case MemoryPer::kCpu:
        out.memory_mb = spec.memory->mb * out.cpus;
        break;
      case MemoryPer::kGpu:
        out.memory_mb = spec.memory->mb * out.gpus;
        break;
    }
  }
  out.time_limit = spec.time_limit;
  out.partitions = spec.partitions;
  return out;
}

}  // namespace sluice
