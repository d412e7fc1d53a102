// What so many tasks of a job take on one node.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

inline std::int32_t whole_cores(const Node& node, std::int32_t cpus) {
  const std::int32_t threads = std::max(1, node.threads_per_core);
  return (cpus + threads - 1) / threads * threads;
}

// A job with the node for itself takes memory for all its CPUs.
inline std::int64_t memory_for(const Shape& shape, const Node& node, std::int32_t tasks,
                               std::int64_t gpus) {
  const std::int32_t cpus =
      shape.exclusive ? node.cpus : whole_cores(node, tasks * shape.cpus_per_task);
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
