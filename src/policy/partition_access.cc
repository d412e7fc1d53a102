// Deciding whether a partition takes a job.
#include "policy/partition_access.h"

namespace sluice {

std::optional<Reason> partition_gate(const State& state, const Shape& shape, PartitionId partition,
                                     Duration limit) {
  std::optional<Reason> failed;
  const auto stop_at_failure = [&](const Reason& reason, bool passed) {
    if (!passed) failed = reason;
    return passed;
  };
  walk_partition(state.policy(), shape, partition, limit, stop_at_failure);
  return failed;
}

std::int64_t cpus_up_to(const Policy& policy, const Partition& partition, std::int64_t enough) {
  std::int64_t cpus = 0;
  for (NodeId node : partition.nodes) {
    cpus += policy.nodes[node.index()].cpus;
    if (cpus >= enough) break;
  }
  return cpus;
}

bool has_too_few_cpus(const Policy& policy, const Shape& shape) {
  const std::int64_t asked = shape.asked[kTresCpu];
  return std::all_of(shape.partitions.begin(), shape.partitions.end(), [&](PartitionId id) {
    return cpus_up_to(policy, policy.partitions[id.index()], asked) < asked;
  });
}

bool is_outside_node_counts(const Policy& policy, const Shape& shape, PartitionId id) {
  const Partition& partition = policy.partitions[id.index()];
  const QosFlags flags = shape.qos ? policy.qos[shape.qos->index()].flags : QosFlags{};
  return (partition.max_nodes && !flags.partition_max_nodes &&
          most_nodes_named(shape) > *partition.max_nodes) ||
         (!flags.partition_min_nodes && shape.min_nodes < partition.min_nodes);
}

bool group_allowed(const Policy& policy, const std::string& user, PartitionId partition) {
  const std::vector<std::string>& allow = policy.partitions[partition.index()].allow_groups;
  if (allow.empty() || user == "root") return true;
  const auto id = policy.find_user(user);
  if (!id) return false;
  const std::vector<std::string>& groups = policy.users[id->index()].groups;
  return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
    return std::find(allow.begin(), allow.end(), group) != allow.end();
  });
}

}  // namespace sluice
