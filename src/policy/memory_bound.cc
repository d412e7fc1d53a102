// Memory bounds are per CPU or per node, and so are requests: four cases.
#include "policy/memory_bound.h"

#include <algorithm>

namespace sluice {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t tasks_per_node(const JobSpec& request) {
  if (request.tasks_per_node) return std::max(1, *request.tasks_per_node);
  return divided_up(std::max(1, request.tasks.value_or(1)),
                    std::max(1, request.min_nodes.value_or(1)));
}

std::int64_t cpus_per_node(const JobSpec& request) {
  return tasks_per_node(request) * std::max(1, request.cpus_per_task.value_or(1));
}

bool fit_per_cpu(std::int64_t most, JobSpec& request) {
  MemoryRequest& memory = *request.memory;
  if (memory.per == MemoryPer::kCpu) {
    if (memory.mb <= most) return true;
    const std::int64_t ratio = divided_up(memory.mb, most);
    request.cpus_per_task = static_cast<std::int32_t>(request.cpus_per_task.value_or(1) * ratio);
    memory.mb = divided_up(memory.mb, ratio);
    return true;
  }
  // All of the node's memory comes with all of its CPUs or not at all; that is for placement.
  const std::int64_t cpus = divided_up(memory.mb, most);
  if (cpus > cpus_per_node(request))
    request.cpus_per_task = static_cast<std::int32_t>(divided_up(cpus, tasks_per_node(request)));
  return true;
}

bool fit_per_node(std::int64_t most, const JobSpec& request) {
  const MemoryRequest& memory = *request.memory;
  const std::int64_t asked =
      memory.per == MemoryPer::kCpu ? memory.mb * cpus_per_node(request) : memory.mb;
  return asked <= most;
}

}  // namespace

bool fit_memory_bound(const Policy& policy, const Partition& partition, JobSpec& request) {
  if (!request.memory || request.memory->per == MemoryPer::kGpu) return true;
  // One partition has one bound, of either kind; its own comes before the cluster's.
  if (partition.max_mem_per_cpu_mb) return fit_per_cpu(*partition.max_mem_per_cpu_mb, request);
  if (partition.max_mem_per_node_mb) return fit_per_node(*partition.max_mem_per_node_mb, request);
  if (policy.jobs.max_mem_per_cpu_mb) return fit_per_cpu(*policy.jobs.max_mem_per_cpu_mb, request);
  if (policy.jobs.max_mem_per_node_mb)
    return fit_per_node(*policy.jobs.max_mem_per_node_mb, request);
  return true;
}

}  // namespace sluice
