// Fits a request to empty nodes.
#include "policy/feasibility.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "policy/cpu_cap.h"
#include "policy/limits.h"
#include "policy/node_needs.h"
#include "policy/partition_access.h"
#include "policy/placement.h"
#include "policy/wanted_nodes.h"

namespace sluice {
namespace {

bool has_all(const std::vector<std::string>& features, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& feature) {
    return std::find(features.begin(), features.end(), feature) != features.end();
  });
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::int64_t gpus_on(const Node& node, const std::string& type) {
  return std::count_if(node.gpus.begin(), node.gpus.end(),
                       [&](const Gpu& gpu) { return type.empty() || gpu.type == type; });
}

// The GPUs that one node must have for this need, whatever the number of tasks on it.
std::int64_t gpus_per_node(const GpuNeed& need, const Node& node) {
  if (need.per == GpusPer::kNode) return need.count;
  if (need.per == GpusPer::kSocket) return std::int64_t{need.count} * node.sockets;
  return 0;
}

// How many of the job's tasks one empty node could run; 0: it can take no part.
std::int64_t tasks_on(const Policy& policy, const Shape& shape, const Partition& partition,
                      const Node& node) {
  const std::int64_t cpus = cpus_within_cap(node, partition, 0, shape);
  // A job that has the node for itself gets all of its CPUs.
  if (shape.exclusive && partition.max_cpus_per_node.value_or(node.cpus) < node.cpus) return 0;
  if (shape.chooses_nodes && !is_built_for(node, *shape.request)) return 0;
  std::int64_t tasks = tasks_on_cpus(shape, node, static_cast<std::int32_t>(cpus));
  std::int64_t gpus = 0;
  for (const GpuNeed& need : shape.gpus) {
    const std::int64_t there = gpus_on(node, need.type);
    if (gpus_per_node(need, node) > there) return 0;
    gpus += gpus_per_node(need, node);
    if (need.per == GpusPer::kTask) tasks = std::min(tasks, there / need.count);
  }
  if (policy.jobs.memory_is_consumable) {
    if (shape.memory_per_node > node.memory_mb) return 0;
    if (shape.memory_per_gpu * std::max<std::int64_t>(gpus, 1) > node.memory_mb) return 0;
    if (shape.exclusive && memory_for(shape, node, 1, 0, node.cpus) > node.memory_mb) return 0;
    if (shape.memory_per_cpu > 0 && !shape.exclusive)
      tasks = std::min(tasks,
                       node.memory_mb / (shape.memory_per_cpu * std::max(1, shape.cpus_per_task)));
  }
  if (tasks < shape.least_tasks_on_node) return 0;
  return shape.tasks_per_node > 0 ? shape.tasks_per_node : tasks;
}

std::int64_t sum_of_largest(std::vector<std::int64_t> values, std::size_t count) {
  std::sort(values.begin(), values.end(), std::greater<>());
  if (values.size() > count) values.resize(count);
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// Whether the partition has as many nodes of each feature as a constraint with counts asks for. One
// node counts for one feature only where they are asked for apart.
bool has_counted_nodes(const Policy& policy, const Shape& shape, PartitionId id,
                       const std::vector<std::uint8_t>* only) {
  const Partition& partition = policy.partitions[id.index()];
  const Constraint& constraint = shape.request->constraint;
  // The counts together may be more than the nodes that the job may have.
  if (!constraint.counted.empty() && shape.min_nodes > shape.max_nodes) return false;
  std::vector<bool> counted(policy.nodes.size(), false);
  for (const CountedFeature& feature : constraint.counted) {
    std::int32_t left = feature.nodes;
    for (NodeId node_id : partition.nodes) {
      if (left == 0) break;
      const Node& node = policy.nodes[node_id.index()];
      if (constraint.counted_apart && counted[node_id.index()]) continue;
      if (only != nullptr && (*only)[node_id.index()] == 0) continue;
      if (contains(shape.request->exclude_nodes, node.name)) continue;
      if (std::none_of(feature.any_of.begin(), feature.any_of.end(),
                       [&](const auto& wanted) { return has_all(node.features, wanted); }))
        continue;
      if (tasks_on(policy, shape, partition, node) == 0) continue;
      counted[node_id.index()] = true;
      --left;
    }
    if (left > 0) return false;
  }
  return true;
}

bool nodes_hold(const Policy& policy, const Shape& shape, PartitionId id,
                const std::vector<std::vector<std::string>>& any_of,
                const std::vector<std::uint8_t>* only) {
  const Partition& partition = policy.partitions[id.index()];
  const JobSpec& request = *shape.request;
  std::vector<std::int64_t> tasks;
  std::vector<const Node*> nodes;
  std::size_t count = 0;
  std::size_t required = 0;
  std::int64_t most_nodes = std::max(shape.min_nodes, shape.max_nodes);
  // A job that asks for more nodes than a limit allows waits; one that needs more is refused.
  if (const auto limit = most_nodes_by_limits(policy, shape, id);
      limit && *limit >= shape.min_nodes)
    most_nodes = std::min(most_nodes, *limit);
  // So does MaxNodes of the partition; a QoS lifts that for jobs that say how many they may have.
  const bool is_wider =
      request.max_nodes && shape.qos && policy.qos[shape.qos->index()].flags.partition_max_nodes;
  if (partition.max_nodes && *partition.max_nodes >= shape.min_nodes && !is_wider)
    most_nodes = std::min<std::int64_t>(most_nodes, *partition.max_nodes);
  const auto most = static_cast<std::size_t>(most_nodes);
  // Most jobs are sure of a place after a node or two.
  const bool any_will_do = request.require_nodes.empty();
  std::vector<std::int64_t> gpus_left;  // Of those asked for the job as a whole.
  for (const GpuNeed& need : shape.gpus)
    gpus_left.push_back(need.per == GpusPer::kJob ? need.count : 0);
  const auto lacks_gpus = [&] {
    return std::any_of(gpus_left.begin(), gpus_left.end(), [](std::int64_t n) { return n > 0; });
  };
  std::int64_t total = 0;
  std::int64_t named = 0;
  for (NodeId node_id : partition.nodes) {
    const Node& node = policy.nodes[node_id.index()];
    if (contains(request.exclude_nodes, node.name)) continue;
    if (only != nullptr && (*only)[node_id.index()] == 0) continue;
    if (!any_of.empty() && std::none_of(any_of.begin(), any_of.end(), [&](const auto& wanted) {
          return has_all(node.features, wanted);
        }))
      continue;
    const std::int64_t here = tasks_on(policy, shape, partition, node);
    if (here == 0) continue;
    const bool is_named = contains(request.require_nodes, node.name);
    total += here;
    ++count;
    for (std::size_t i = 0; i < gpus_left.size(); ++i)
      if (gpus_left[i] > 0) gpus_left[i] -= gpus_on(node, shape.gpus[i].type);
    if (any_will_do && total >= shape.tasks && count <= most &&
        count >= static_cast<std::size_t>(shape.min_nodes) && !lacks_gpus())
      return true;
    nodes.push_back(&node);
    if (is_named) {
      ++required;
      named += here;
    } else {
      tasks.push_back(here);
    }
  }
  if (required < request.require_nodes.size() || required > most) return false;
  if (nodes.size() < static_cast<std::size_t>(shape.min_nodes)) return false;
  // Those that are named are among its nodes, however small.
  if (named + sum_of_largest(tasks, most - required) < shape.tasks) return false;
  for (const GpuNeed& need : shape.gpus) {
    if (need.per != GpusPer::kJob) continue;
    std::vector<std::int64_t> gpus;
    for (const Node* node : nodes) gpus.push_back(gpus_on(*node, need.type));
    if (sum_of_largest(std::move(gpus), most) < need.count) return false;
  }
  return true;
}

// The nodes below each switch that is below no other, as far as they are among `only`.
std::vector<std::vector<std::uint8_t>> trees_of(const Policy& policy,
                                                const std::vector<std::uint8_t>* only) {
  std::vector<std::uint8_t> is_below(policy.switches.size(), 0);
  for (const Switch& one : policy.switches)
    for (const std::uint32_t below : one.switches) is_below[below] = 1;
  std::vector<std::vector<std::uint8_t>> out;
  for (std::uint32_t top = 0; top < policy.switches.size(); ++top) {
    if (is_below[top] != 0) continue;
    std::vector<std::uint8_t>& nodes = out.emplace_back(policy.nodes.size(), 0);
    std::vector<std::uint32_t> todo = {top};
    while (!todo.empty()) {
      const Switch& one = policy.switches[todo.back()];
      todo.pop_back();
      todo.insert(todo.end(), one.switches.begin(), one.switches.end());
      for (const NodeId node : one.nodes)
        nodes[node.index()] = only == nullptr ? 1 : (*only)[node.index()];
    }
  }
  return out;
}

bool holds_anywhere(const Policy& policy, const Shape& shape, PartitionId id,
                    const std::vector<std::uint8_t>* only) {
  const Constraint& constraint = shape.request->constraint;
  if (!has_counted_nodes(policy, shape, id, only)) return false;
  // slurmctld refuses what its preferred nodes could never hold, although others might.
  if (shape.prefers && !nodes_hold(policy, shape, id, shape.request->prefer.any_of, only))
    return false;
  if (!constraint.same_for_all_nodes) return nodes_hold(policy, shape, id, constraint.any_of, only);
  return std::any_of(constraint.any_of.begin(), constraint.any_of.end(), [&](const auto& wanted) {
    return nodes_hold(policy, shape, id, {wanted}, only);
  });
}

// Whether at least one of the partition's nodes has what the job needs of each of its nodes.
bool some_node_is_enough(const Policy& policy, const Shape& shape, PartitionId id) {
  const Partition& partition = policy.partitions[id.index()];
  const auto& any_of = shape.request->constraint.any_of;
  return std::any_of(partition.nodes.begin(), partition.nodes.end(), [&](NodeId node_id) {
    const Node& node = policy.nodes[node_id.index()];
    const bool has_features =
        any_of.empty() || std::any_of(any_of.begin(), any_of.end(), [&](const auto& wanted) {
          return has_all(node.features, wanted);
        });
    return has_features && tasks_on(policy, shape, partition, node) > 0;
  });
}

}  // namespace

bool could_ever_hold(const Policy& policy, const Shape& shape, PartitionId id,
                     const std::vector<std::uint8_t>* only) {
  if (!goes_by_switches(policy, shape, id)) return holds_anywhere(policy, shape, id, only);
  const std::vector<std::vector<std::uint8_t>> trees = trees_of(policy, only);
  return std::any_of(trees.begin(), trees.end(),
                     [&](const auto& tree) { return holds_anywhere(policy, shape, id, &tree); });
}

bool no_node_could_hold(const Policy& policy, const Shape& shape,
                        std::span<const PartitionId> partitions, const ShutGates& shut,
                        const std::vector<std::uint8_t>* only) {
  // Limits on numbers of nodes are looked at only where there is a node that would do.
  const auto waits_for_limit = [&](PartitionId id) {
    const std::optional<Reason> reason = shut.limit(id);
    return reason && (reason->tres != kTresNode || some_node_is_enough(policy, shape, id));
  };
  bool never = false;
  for (const PartitionId id : partitions) {
    if (partitions.size() == 1 && shut.partition(id)) return false;
    never = !is_outside_node_counts(policy, shape, id);
    if (never && (could_ever_hold(policy, shape, id, only) || waits_for_limit(id))) return false;
  }
  return never;
}

}  // namespace sluice
