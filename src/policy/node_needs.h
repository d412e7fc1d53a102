// What so many tasks of a job take on one node.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

// Threads of each of its cores that the job's tasks run on.
inline std::int32_t threads_used(const Shape& shape, const Node& node) {
  const std::int32_t threads = std::max(1, node.threads_per_core);
  return shape.threads_used > 0 ? std::min(shape.threads_used, threads) : threads;
}

inline std::int32_t cores_for(const Shape& shape, const Node& node, std::int32_t tasks) {
  const std::int32_t threads = threads_used(shape, node);
  std::int32_t cores = (tasks * shape.cpus_per_task + threads - 1) / threads;
  if (shape.tasks_per_core > 0)
    cores = std::max(cores, (tasks + shape.tasks_per_core - 1) / shape.tasks_per_core);
  return std::max(cores, (shape.least_cpus_on_node + threads - 1) / threads);
}

// Cores are given whole, with the threads that the tasks leave alone.
inline std::int32_t cpus_for(const Shape& shape, const Node& node, std::int32_t tasks) {
  return cores_for(shape, node, tasks) * std::max(1, node.threads_per_core);
}

// A job with the node for itself takes memory for all its CPUs.
inline std::int64_t memory_for(const Shape& shape, const Node& node, std::int32_t tasks,
                               std::int64_t gpus) {
  const std::int32_t cpus =
      shape.exclusive ? node.cpus : cores_for(shape, node, tasks) * threads_used(shape, node);
  return shape.memory_per_node + shape.memory_per_cpu * cpus + shape.memory_per_gpu * gpus;
}

// GPUs that so many tasks need on one node; those of the whole job are dealt out later.
inline std::int32_t gpus_for(const GpuNeed& need, const Node& node, std::int32_t tasks) {
  switch (need.per) {
    case GpusPer::kNode:
      return need.count;
    case GpusPer::kSocket:
      return need.count * std::max(1, node.sockets);
    case GpusPer::kTask:
      return need.count * tasks;
    case GpusPer::kJob:
      return 0;
  }
  return 0;
}

}  // namespace sluice
