// What a partition asks of the jobs that want to run in it.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/reason.h"
#include "policy/memory_bound.h"
#include "state/state.h"

namespace sluice {

// What keeps a waiting job out of the partition: node counts, its state, the time limit, accounts
// and QoS, in the order of slurmctld's job_limits_check.
std::optional<Reason> partition_gate(const State& state, const Shape& shape, PartitionId partition,
                                     Duration limit);

// AllowGroups; looked at when a job is submitted and never again.
bool group_allowed(const Policy& policy, const std::string& user, PartitionId partition);

// What the partition's nodes have, added up until it is enough.
std::int64_t cpus_up_to(const Policy& policy, const Partition& partition, std::int64_t enough);

// Whether none of the job's partitions has as many CPUs as it asks for. slurmctld changes nothing
// about such a job, nor makes one of another.
bool has_too_few_cpus(const Policy& policy, const Shape& shape);

// MaxNodes is held against the end of a range: --nodes=1-2 is too much where one is allowed. With
// --spread-job and without --nodes a job asks for a node for each of its tasks.
inline std::int64_t most_nodes_named(const Shape& shape) {
  if (shape.max_nodes < std::numeric_limits<std::int32_t>::max())
    return std::max(shape.min_nodes, shape.max_nodes);
  const bool spread = shape.request != nullptr && shape.request->spread;
  return spread ? std::max(shape.min_nodes, shape.tasks) : shape.min_nodes;
}

// Whether MaxNodes or MinNodes of the partition rule out as many nodes as the job asks for.
bool is_outside_node_counts(const Policy& policy, const Shape& shape, PartitionId partition);

// Calls visit(reason, passed) for everything the partition asks; the visitor returns whether to go
// on. partition_gate stops at the first that failed.
template <class Visit>
bool walk_partition(const Policy& policy, const Shape& shape, PartitionId id, Duration time_limit,
                    Visit& visit) {
  const Partition& partition = policy.partitions[id.index()];
  const Qos* qos = shape.qos ? &policy.qos[shape.qos->index()] : nullptr;
  const auto say = [&](Rule rule, std::int64_t limit, std::int64_t asked, bool passed) {
    return visit(Reason{rule, LimitHolder::kPartition, {}, id.value(), limit, 0, asked}, passed);
  };
  const auto allowed = [](const std::vector<std::string>& allow,
                          const std::vector<std::string>& deny, const std::string& name) {
    return allow.empty() ? std::find(deny.begin(), deny.end(), name) == deny.end()
                         : std::find(allow.begin(), allow.end(), name) != allow.end();
  };
  // Before everything else, as slurmctld does. Few jobs ask for more than one node has; only for
  // those the partition is added up.
  const std::int64_t asked = shape.asked[kTresCpu];
  if (!partition.nodes.empty() && asked > policy.nodes[partition.nodes.front().index()].cpus) {
    const std::int64_t cpus = cpus_up_to(policy, partition, asked);
    if (!say(Rule::kPartitionConfig, cpus, asked, cpus >= asked)) return false;
  }
  const auto there = static_cast<std::int64_t>(partition.nodes.size());
  std::int64_t most = there;
  std::int64_t nodes = shape.min_nodes;
  if (partition.max_nodes && !(qos != nullptr && qos->flags.partition_max_nodes)) {
    most = std::min<std::int64_t>(most, *partition.max_nodes);
    if (most_nodes_named(shape) > *partition.max_nodes) nodes = most_nodes_named(shape);
  }
  if ((most < there || nodes > most) && !say(Rule::kPartitionNodeLimit, most, nodes, nodes <= most))
    return false;
  // Held against the beginning of a range. A job that names no count has as many as its partition
  // asks for; of several partitions as the one that asks for fewest, so the others do not take it.
  if (!(qos != nullptr && qos->flags.partition_min_nodes) && partition.min_nodes > 0 &&
      !say(Rule::kPartitionNodeLimit, partition.min_nodes, shape.min_nodes,
           shape.min_nodes >= partition.min_nodes))
    return false;
  const bool inactive = partition.state == PartitionState::kInactive;
  if (!say(inactive ? Rule::kPartitionInactive : Rule::kPartitionDown, 0, 0,
           !inactive && partition.state != PartitionState::kDown))
    return false;
  if (partition.max_time && !shape.limit_by_operator &&
      !(qos != nullptr && qos->flags.partition_time_limit)) {
    const Duration least =
        shape.request != nullptr ? shape.request->time_min.value_or(time_limit) : time_limit;
    if (!say(Rule::kPartitionTimeLimit, to_seconds(*partition.max_time), to_seconds(least),
             least <= *partition.max_time))
      return false;
  }
  if (const auto bound = memory_beyond_bound(policy, partition, shape);
      bound && !say(Rule::kMaxMemoryPerLimit, bound->limit, bound->asked, false))
    return false;
  if (shape.request != nullptr &&
      (!partition.allow_accounts.empty() || !partition.deny_accounts.empty()) &&
      !say(Rule::kAccountNotAllowed, 0, 0,
           allowed(partition.allow_accounts, partition.deny_accounts, shape.request->account)))
    return false;
  return qos == nullptr || (partition.allow_qos.empty() && partition.deny_qos.empty()) ||
         say(Rule::kQosNotAllowed, 0, 0,
             allowed(partition.allow_qos, partition.deny_qos, qos->name));
}

}  // namespace sluice
