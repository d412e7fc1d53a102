// How many tasks of a job a node has room for.
#include "policy/placement.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "policy/node_needs.h"

namespace sluice {
namespace {

std::int32_t tasks_with_gpus(const Topology& topology, const Shape& shape, NodeId id,
                             const NodeFree& free, std::int32_t tasks) {
  const Node& node = topology.policy().nodes[id.index()];
  const bool memory_counts = topology.policy().jobs.memory_is_consumable && !shape.whole_memory;
  bool asks_per_job = false;
  std::int32_t has_for_job = 0;
  for (const GpuNeed& need : shape.gpus) {
    const int has = std::popcount(free.gpus & topology.gpus(id, need.tres));
    if (need.per == GpusPer::kTask) tasks = std::min(tasks, has / need.count);
    if (gpus_for(need, node, 0) > has) return 0;
    if (need.per != GpusPer::kJob) continue;
    asks_per_job = true;
    has_for_job += has;
  }
  if (asks_per_job && has_for_job == 0) return 0;
  if (shape.cpus_with_each_gpu > 0)
    tasks = std::min(tasks, has_for_job * shape.cpus_with_each_gpu / shape.cpus_per_task);
  for (; tasks > 0; --tasks) {
    std::int32_t gpus = 0;
    for (const GpuNeed& need : shape.gpus) gpus += gpus_for(need, node, tasks);
    if (gpus <= std::popcount(free.gpus) &&
        (!memory_counts || memory_for(shape, node, tasks, gpus, free.cpus) <= free.memory))
      break;
  }
  return tasks;
}

// Bounds on tasks by cores and sockets, with so many cores free.
std::int32_t most_tasks(const Shape& shape, const Node& node, std::int32_t cores) {
  if (std::max(shape.least_cpus_on_node, shape.cpus_with_gpus) > cores * threads_used(shape, node))
    return 0;
  const std::int32_t sockets =
      shape.whole_sockets ? cores / cores_per_socket(node) : std::max(1, node.sockets);
  if (sockets < shape.request->min_sockets.value_or(1)) return 0;
  std::int32_t most = std::numeric_limits<std::int32_t>::max();
  if (shape.tasks_per_core > 0) most = cores * shape.tasks_per_core;
  if (const auto per_socket = shape.request->tasks_per_socket)
    most = std::min(most, *per_socket * sockets);
  return most;
}

}  // namespace

NodeFree free_of(const NodeUse& use) {
  return NodeFree{use.cpus - use.cpus_taken - use.cpus_suspended,
                  use.jobs,
                  use.memory - use.memory_taken,
                  use.gpus & ~use.gpus_taken,
                  use.state == NodeState::kUp,
                  use.exclusive > 0};
}

void read_free(const State& state, std::vector<NodeFree>& out) {
  out.resize(state.nodes().size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = free_of(state.nodes()[i]);
}

void take(NodeFree& free, const NodeShare& share) {
  if (share.layer == 0) free.cpus -= share.cpus;
  free.memory -= share.memory_mb;
  free.gpus &= ~share.gpus;
  ++free.jobs;
}

void take(std::vector<NodeFree>& free, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) take(free[share.node.index()], share);
}

void give(std::vector<NodeFree>& free, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) {
    NodeFree& node = free[share.node.index()];
    if (share.layer == 0) node.cpus += share.cpus;
    node.memory += share.memory_mb;
    node.gpus |= share.gpus;
    if (--node.jobs == 0) node.one_alone = false;
  }
}

bool has_one_of(const Topology& topology, const std::vector<std::vector<std::string>>& any_of,
                NodeId node) {
  return std::any_of(any_of.begin(), any_of.end(),
                     [&](const auto& all) { return topology.has_features(node, all); });
}

bool may_use(const Topology& topology, const Shape& shape, NodeId node) {
  const JobSpec& request = *shape.request;
  return may_use(topology, shape, node, request.constraint) ||
         (shape.prefers && may_use(topology, shape, node, request.prefer));
}

bool may_use(const Topology& topology, const Shape& shape, NodeId node,
             const Constraint& features) {
  const JobSpec& request = *shape.request;
  const std::string& name = topology.policy().nodes[node.index()].name;
  const auto& excluded = request.exclude_nodes;
  if (std::find(excluded.begin(), excluded.end(), name) != excluded.end()) return false;
  return (!shape.chooses_nodes || is_built_for(topology.policy().nodes[node.index()], request)) &&
         (features.any_of.empty() || has_one_of(topology, features.any_of, node));
}

bool is_built_for(const Node& node, const JobSpec& request) {
  const std::int32_t sockets = std::max(1, node.sockets);
  const std::int32_t threads = std::max(1, node.threads_per_core);
  const std::int32_t cores = std::max(1, node.cpus / (sockets * threads));
  return sockets >= request.min_sockets.value_or(1) &&
         cores >= request.min_cores_per_socket.value_or(1) &&
         threads >= request.threads_per_core.value_or(1) &&
         node.cpus >= request.min_cpus_per_node.value_or(1);
}

bool takes_any_node(const Shape& shape) {
  if (shape.only_cpus) return true;
  const JobSpec& request = *shape.request;
  return !shape.chooses_nodes && !shape.prefers && shape.gpus.empty() &&
         request.constraint.any_of.empty() && request.require_nodes.empty() &&
         request.exclude_nodes.empty();
}

bool asks_gpus_per_job(const Shape& shape) {
  return std::any_of(shape.gpus.begin(), shape.gpus.end(),
                     [](const GpuNeed& need) { return need.per == GpusPer::kJob; });
}

bool takes_one_node(const Shape& shape) {
  const bool one_will_do = shape.tasks == 1 && !shape.request->max_nodes;
  return shape.min_nodes == 1 && (shape.max_nodes == 1 || one_will_do) && !shape.names_nodes &&
         !shape.chooses_nodes && !asks_gpus_per_job(shape);
}

std::int32_t tasks_there(const Topology& topology, const Shape& shape, NodeId node,
                         const NodeFree& free) {
  if (!free.usable || free.cpus < shape.cpus_per_task) return 0;
  const std::int32_t tasks = tasks_that_fit(topology, shape, node, free);
  if (tasks < shape.least_tasks_on_node) return 0;
  return shape.tasks_per_node > 0 ? shape.tasks_per_node : tasks;
}

std::int32_t tasks_on_cpus(const Shape& shape, const Node& node, std::int32_t cpus) {
  const std::int32_t threads = std::max(1, node.threads_per_core);
  // Dividing takes longer than everything else here, and is mostly by one.
  std::int32_t tasks = cpus;
  if (threads > 1) tasks = tasks / threads * threads_used(shape, node);
  if (shape.cpus_per_task > 1) tasks /= shape.cpus_per_task;
  if (shape.chooses_nodes) tasks = std::min(tasks, most_tasks(shape, node, cpus / threads));
  return tasks;
}

std::int32_t tasks_that_fit(const Topology& topology, const Shape& shape, NodeId id,
                            const NodeFree& free) {
  const Node& node = topology.policy().nodes[id.index()];
  if (shape.exclusive && free.jobs > 0) return 0;
  const std::int32_t threads = std::max(1, node.threads_per_core);
  std::int32_t tasks = tasks_on_cpus(shape, node, free.cpus);
  if (topology.policy().jobs.memory_is_consumable) {
    if (shape.whole_memory && free.memory < node.memory_mb) return 0;
    if (free.memory < shape.memory_per_node) return 0;
    if (shape.exclusive && free.memory < memory_for(shape, node, 1, 0, free.cpus)) return 0;
    const std::int64_t each = shape.exclusive ? 0 : shape.memory_per_cpu * shape.cpus_per_task;
    if (each > 0 && each * tasks > free.memory)
      tasks = static_cast<std::int32_t>(free.memory / each);
  }
  if (!shape.gpus.empty()) {
    tasks = tasks_with_gpus(topology, shape, id, free, tasks);
  } else if (shape.memory_per_cpu > 0 &&
             (threads > 1 || shape.least_cpus_on_node > 0 || shape.whole_sockets)) {
    while (tasks > 0 && memory_for(shape, node, tasks, 0, free.cpus) > free.memory) --tasks;
  }
  return tasks;
}

}  // namespace sluice
