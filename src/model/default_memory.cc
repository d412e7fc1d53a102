// Slurm's _set_gpu_defaults, and parts of a node.
#include "model/default_memory.h"

#include <algorithm>

namespace sluice {

void give_with_gpus(const Policy& policy, PartitionId partition, JobSpec& spec) {
  const bool asks = std::any_of(spec.gpus.begin(), spec.gpus.end(),
                                [](const GpuRequest& gpu) { return gpu.count > 0; });
  if (!asks) return;
  const WithGpu& own = policy.partitions[partition.index()].with_gpu;
  const WithGpu& usual = policy.jobs.with_gpu;
  if (!spec.cpus_per_task && !spec.cpus_per_gpu)
    spec.cpus_per_gpu = own.cpus ? own.cpus : usual.cpus;
  const auto memory = own.memory_mb ? own.memory_mb : usual.memory_mb;
  if (!spec.memory && memory) spec.memory = MemoryRequest{MemoryPer::kGpu, *memory};
}

std::optional<MemoryRequest> usual_memory(const Policy& policy, PartitionId partition) {
  const Partition& own = policy.partitions[partition.index()];
  const JobSettings& all = policy.jobs;
  if (own.default_mem_per_cpu_mb)
    return MemoryRequest{MemoryPer::kCpu, *own.default_mem_per_cpu_mb};
  if (own.default_mem_per_node_mb)
    return MemoryRequest{MemoryPer::kNode, *own.default_mem_per_node_mb};
  if (all.default_mem_per_cpu_mb)
    return MemoryRequest{MemoryPer::kCpu, *all.default_mem_per_cpu_mb};
  if (all.default_mem_per_node_mb)
    return MemoryRequest{MemoryPer::kNode, *all.default_mem_per_node_mb};
  return std::nullopt;
}

std::int64_t memory_per_cpu(const Node& node) {
  return std::max<std::int64_t>(1, node.memory_mb / std::max(1, node.cpus));
}

std::int64_t memory_per_gpu(const Node& node) {
  if (node.gpus.empty()) return 0;
  return std::max(memory_per_cpu(node), node.memory_mb / 4 * 3 / std::ssize(node.gpus));
}

}  // namespace sluice
