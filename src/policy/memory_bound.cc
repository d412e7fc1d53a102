// Memory bounds are per CPU or per node, and so are requests: four cases.
#include "policy/memory_bound.h"

#include <algorithm>
#include <limits>

#include "model/default_memory.h"

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

// On as many nodes as the job may have.
std::int64_t fewest_cpus_per_node(const JobSpec& request) {
  std::int64_t tasks = 1;
  if (request.tasks_per_node)
    tasks = std::max(1, *request.tasks_per_node);
  else if (request.max_nodes)
    tasks = divided_up(std::max(1, request.tasks.value_or(1)), std::max(1, *request.max_nodes));
  return std::max<std::int64_t>(tasks * std::max(1, request.cpus_per_task.value_or(1)),
                                request.min_cpus_per_node.value_or(1));
}

// More than any machine has is more than any machine has.
std::int32_t as_count(std::int64_t number) {
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(number, std::numeric_limits<std::int32_t>::max()));
}

std::int64_t largest_memory(const Policy& policy, const Partition& partition) {
  std::int64_t most = 0;
  for (const NodeId node : partition.nodes)
    most = std::max(most, policy.nodes[node.index()].memory_mb);
  return most;
}

std::int64_t largest_cpus(const Policy& policy, const Partition& partition) {
  std::int64_t most = 1;
  for (const NodeId node : partition.nodes)
    most = std::max<std::int64_t>(most, policy.nodes[node.index()].cpus);
  return most;
}

// `whole`: what --mem=0 stands for.
bool fit_per_cpu(std::int64_t most, std::int64_t whole, JobSpec& request) {
  MemoryRequest& memory = *request.memory;
  if (most <= 0) return true;  // As Slurm's 0: no bound.
  if (memory.per == MemoryPer::kCpu) {
    if (memory.mb <= most) return true;
    const std::int64_t ratio = divided_up(memory.mb, most);
    request.cpus_per_task = as_count(request.cpus_per_task.value_or(1) * ratio);
    memory.mb = divided_up(memory.mb, ratio);
    return true;
  }
  const std::int64_t cpus = divided_up(memory.mb == 0 ? whole : memory.mb, most);
  if (cpus > cpus_per_node(request))
    request.cpus_per_task = as_count(divided_up(cpus, tasks_per_node(request)));
  return true;
}

bool fit_per_node(std::int64_t most, std::int64_t whole, const JobSpec& request) {
  const MemoryRequest& memory = *request.memory;
  if (memory.per == MemoryPer::kCpu) return memory.mb * fewest_cpus_per_node(request) <= most;
  return (memory.mb == 0 ? whole : memory.mb) <= most;
}

// One partition has one bound, of either kind; its own comes before the cluster's.
struct Bound {
  std::optional<std::int64_t> per_cpu;
  std::optional<std::int64_t> per_node;
};

Bound bound_of(const Policy& policy, const Partition& partition) {
  if (partition.max_mem_per_cpu_mb) return {partition.max_mem_per_cpu_mb, std::nullopt};
  if (partition.max_mem_per_node_mb) return {std::nullopt, partition.max_mem_per_node_mb};
  if (policy.jobs.max_mem_per_cpu_mb) return {policy.jobs.max_mem_per_cpu_mb, std::nullopt};
  return {std::nullopt, policy.jobs.max_mem_per_node_mb};
}

}  // namespace

bool fit_memory_bound(const Policy& policy, const Partition& partition, JobSpec& request) {
  if (!request.memory) return true;
  const Bound bound = bound_of(policy, partition);
  if (!bound.per_cpu && !bound.per_node) return true;
  const std::int64_t whole = largest_memory(policy, partition);
  if (request.memory->per == MemoryPer::kGpu) {
    if (!bound.per_cpu) return true;
    // It is the usual memory that is held against the bound, or all that a node has.
    JobSpec usual = request;
    usual.memory = usual_memory(policy, policy.find_partition(partition.name).value())
                       .value_or(MemoryRequest{MemoryPer::kNode, 0});
    const bool fits = fit_per_cpu(*bound.per_cpu, whole, usual);
    request.cpus_per_task = usual.cpus_per_task;
    return fits;
  }
  if (bound.per_cpu) return fit_per_cpu(*bound.per_cpu, whole, request);
  return fit_per_node(*bound.per_node, whole, request);
}

std::optional<MemoryBeyondBound> memory_beyond_bound(const Policy& policy,
                                                     const Partition& partition,
                                                     const Shape& shape) {
  const Bound bound = bound_of(policy, partition);
  if (!bound.per_cpu && !bound.per_node) return std::nullopt;
  const std::int64_t cpus = bound.per_cpu
                                ? divided_up(shape.asked[kTresCpu], std::max(1, shape.min_nodes))
                            : shape.exclusive ? largest_cpus(policy, partition)
                            : shape.request   ? fewest_cpus_per_node(*shape.request)
                                              : 1;
  // Where the memory comes with GPUs and there is no default for CPUs or nodes, slurmctld takes it
  // for all that a node has, as it does with --mem=0.
  const bool is_whole =
      bound.per_node && (shape.whole_memory ||
                         (shape.memory_per_gpu > 0 &&
                          !usual_memory(policy, policy.find_partition(partition.name).value())));
  const std::int64_t asked = is_whole ? largest_memory(policy, partition)
                                      : shape.memory_per_node + shape.memory_per_cpu * cpus;
  const std::int64_t most = bound.per_cpu ? *bound.per_cpu * cpus : *bound.per_node;
  if (asked <= most) return std::nullopt;
  return MemoryBeyondBound{most, asked};
}

}  // namespace sluice
