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

inline std::int32_t cores_per_socket(const Node& node) {
  return std::max(1, node.cpus / (std::max(1, node.sockets) * std::max(1, node.threads_per_core)));
}

// The sockets that a job gets which gets them whole: tasks are dealt out over those that are free,
// one to each in turn.
inline std::int32_t sockets_for(const Shape& shape, const Node& node, std::int32_t tasks,
                                std::int32_t cores, std::int32_t free_cpus) {
  const std::int32_t per_socket = cores_per_socket(node);
  const auto sockets_of = [&](std::int32_t of_cores) {
    return (of_cores + per_socket - 1) / per_socket;
  };
  const std::int32_t threads = threads_used(shape, node);
  const std::int32_t free = free_cpus / std::max(1, node.threads_per_core) / per_socket;
  // Tasks of several CPUs fill one socket after the other, as many whole tasks as it holds; what is
  // smaller, or fits no socket, goes core by core round all that are free.
  const std::int32_t own = std::max(1, shape.request->cpus_per_task.value_or(1));
  const std::int32_t packed = per_socket * threads / own * own;
  std::int32_t open = std::min(free, cores);
  if (const auto most_tasks = shape.request->tasks_per_socket; most_tasks && *most_tasks > 0) {
    open = std::min(cores, std::max(sockets_of(cores), (tasks + *most_tasks - 1) / *most_tasks));
  } else if (own > 1 && packed > 0) {
    const std::int32_t used = (packed + threads - 1) / threads;
    open = std::min(free, (cores + used - 1) / used);
  }
  const std::int32_t sockets = std::max(sockets_of(cores), open);
  return std::max(sockets, shape.request->min_sockets.value_or(1));
}

inline std::int32_t cores_for(const Shape& shape, const Node& node, std::int32_t tasks,
                              std::int32_t free_cpus) {
  const std::int32_t threads = threads_used(shape, node);
  std::int32_t cores = (tasks * shape.cpus_per_task + threads - 1) / threads;
  if (shape.tasks_per_core > 0)
    cores = std::max(cores, (tasks + shape.tasks_per_core - 1) / shape.tasks_per_core);
  // With GPUs slurmctld asks for that many CPUs of a node, and gives those of the tasks.
  const std::int32_t least = shape.gpus.empty() ? shape.least_cpus_on_node : shape.cpus_with_gpus;
  cores = std::max(cores, (least + threads - 1) / threads);
  return shape.whole_sockets
             ? sockets_for(shape, node, tasks, cores, free_cpus) * cores_per_socket(node)
             : cores;
}

// Cores are given whole, with the threads that the tasks leave alone.
inline std::int32_t cpus_for(const Shape& shape, const Node& node, std::int32_t tasks,
                             std::int32_t free_cpus) {
  return cores_for(shape, node, tasks, free_cpus) * std::max(1, node.threads_per_core);
}

// A job with the node for itself takes memory for all its CPUs.
inline std::int64_t memory_for(const Shape& shape, const Node& node, std::int32_t tasks,
                               std::int64_t gpus, std::int32_t free_cpus) {
  const std::int32_t cpus =
      shape.exclusive ? node.cpus
                      : cores_for(shape, node, tasks, free_cpus) * threads_used(shape, node);
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
