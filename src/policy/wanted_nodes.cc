#include "policy/wanted_nodes.h"

#include <algorithm>
#include <limits>

#include "policy/limits.h"
#include "policy/placement.h"

namespace sluice {
namespace {

// How many nodes the job may have: by its request, by the partition where its QoS does not lift
// that, and by limits.
struct NodeBounds {
  std::int32_t least = 1;
  std::int32_t most = 1;
};
NodeBounds node_bounds(const Topology& topology, const Shape& shape, PartitionId id) {
  const Policy& policy = topology.policy();
  const Partition& partition = policy.partitions[id.index()];
  NodeBounds out{shape.min_nodes, shape.max_nodes};
  if (topology.nodes_are_limited())
    if (const auto most = most_nodes_by_limits(policy, shape, id))
      out.most = static_cast<std::int32_t>(std::min<std::int64_t>(out.most, *most));
  if (!partition.max_nodes && partition.min_nodes <= 1) return out;
  const Qos* qos = shape.qos ? &policy.qos[shape.qos->index()] : nullptr;
  if (qos == nullptr || !qos->flags.partition_min_nodes)
    out.least = std::max(out.least, static_cast<std::int32_t>(partition.min_nodes));
  // The QoS lifts it only for a job that says how many nodes it may have.
  const bool is_wider =
      qos != nullptr && qos->flags.partition_max_nodes && shape.request->max_nodes;
  if (partition.max_nodes && !is_wider)
    out.most = static_cast<std::int32_t>(std::min<std::int64_t>(out.most, *partition.max_nodes));
  return out;
}

bool counts_gpus(const Shape& shape) {
  return std::any_of(shape.gpus.begin(), shape.gpus.end(), [](const GpuNeed& need) {
    return need.per == GpusPer::kJob || need.per == GpusPer::kTask;
  });
}

}  // namespace

bool picks_least_loaded(const Policy& policy, PartitionId partition) {
  return policy.scheduler.least_loaded || policy.partitions[partition.index()].least_loaded;
}

bool goes_by_switches(const Policy& policy, const Shape& shape, PartitionId partition) {
  return !policy.switches.empty() && !shape.request->contiguous && !shape.request->spread &&
         !picks_least_loaded(policy, partition) &&
         (!policy.scheduler.topology_optional || shape.most_switches > 0);
}

Wanted wanted_nodes(const Topology& topology, const Shape& shape, PartitionId partition) {
  Wanted out;
  const NodeBounds bounds = node_bounds(topology, shape, partition);
  out.least_nodes = bounds.least;
  out.most_nodes = bounds.most;
  out.tasks = shape.tasks;
  out.cpus_per_task = shape.cpus_per_task;
  out.whole_nodes = shape.exclusive;
  if (shape.tasks_per_node > 0)
    out.least_nodes =
        std::max(out.least_nodes, (shape.tasks + shape.tasks_per_node - 1) / shape.tasks_per_node);
  // A task is on one node. A job that names no number of tasks may have GPUs of several nodes, or
  // as many nodes as it names.
  const bool one_task_spreads =
      !shape.request->tasks && (shape.request->max_nodes || asks_gpus_per_job(shape));
  const bool counts_cpus = shape.request->overcommit || shape.cpus_with_each_gpu > 0;
  const std::int32_t tasks =
      counts_cpus ? shape.request->tasks.value_or(shape.min_nodes) : shape.tasks;
  if (tasks > 1 || !one_task_spreads)
    out.most_nodes = std::min(out.most_nodes, std::max(tasks, out.least_nodes));
  out.nodes = out.least_nodes;
  // It would like as many nodes as it may have, unless it counts GPUs in all.
  if (shape.max_nodes < std::numeric_limits<std::int32_t>::max() && !counts_gpus(shape) &&
      !shape.request->use_min_nodes)
    out.nodes = out.most_nodes;
  out.least_cpus = shape.gpus.empty() ? shape.least_cpus_on_node
                                      : std::max(shape.cpus_with_gpus, shape.cpus_with_each_gpu);
  out.contiguous = shape.request->contiguous;
  const Policy& policy = topology.policy();
  if (shape.request->spread) {
    out.pick = Pick::kInOrder;
    out.nodes = out.most_nodes;
  } else if (picks_least_loaded(policy, partition)) {
    out.pick = Pick::kLeastLoaded;
  } else if (policy.scheduler.pack_serial_at_end && shape.asked[kTresCpu] == 1 && out.nodes == 1) {
    out.pick = Pick::kLast;
  } else if (goes_by_switches(policy, shape, partition)) {
    out.pick = Pick::kBySwitch;
    out.switches = &topology.switches();
    out.most_switches = shape.most_switches;
  }
  return out;
}

}  // namespace sluice
