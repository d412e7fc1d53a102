// What a partition asks of the jobs that want to run in it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/reason.h"
#include "state/state.h"

namespace sluice {

// What keeps a waiting job out of the partition: node counts, its state, the time limit, accounts
// and QoS, in the order of slurmctld's job_limits_check.
std::optional<Reason> partition_gate(const State& state, const Shape& shape, PartitionId partition);

// AllowGroups; looked at when a job is submitted and never again.
bool group_allowed(const Policy& policy, const std::string& user, PartitionId partition);

// Calls visit(reason, passed) for everything the partition asks; the visitor returns whether to go
// on. partition_gate stops at the first that failed.
template <class Visit>
bool walk_partition(const Policy& policy, const Shape& shape, PartitionId id, Visit& visit) {
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
  if (partition.max_nodes && !(qos != nullptr && qos->flags.partition_max_nodes) &&
      !say(Rule::kPartitionNodeLimit, *partition.max_nodes, shape.min_nodes,
           shape.min_nodes <= *partition.max_nodes))
    return false;
  if (partition.min_nodes > 0 && !(qos != nullptr && qos->flags.partition_min_nodes) &&
      !say(Rule::kPartitionNodeLimit, partition.min_nodes, shape.max_nodes,
           shape.max_nodes >= partition.min_nodes))
    return false;
  const bool inactive = partition.state == PartitionState::kInactive;
  if (!say(inactive ? Rule::kPartitionInactive : Rule::kPartitionDown, 0, 0,
           !inactive && partition.state != PartitionState::kDown))
    return false;
  if (partition.max_time && !(qos != nullptr && qos->flags.partition_time_limit)) {
    const Duration least =
        shape.request != nullptr ? shape.request->time_min.value_or(shape.limit) : shape.limit;
    if (!say(Rule::kPartitionTimeLimit, to_seconds(*partition.max_time), to_seconds(least),
             least <= *partition.max_time))
      return false;
  }
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
