// Partitions with OverSubscribe, and who asked for it.
#include "policy/shared_nodes.h"

#include <algorithm>

namespace sluice {
namespace {

// Whether several jobs may have the same CPUs of it.
bool has_layers(const Partition& partition) {
  return (partition.oversubscribe == OverSubscribe::kForce ||
          partition.oversubscribe == OverSubscribe::kYes) &&
         partition.oversubscribe_jobs > 1;
}

bool shares_cpus(const Partition& partition, const Shape& shape) {
  if (shape.exclusive) return false;
  if (partition.oversubscribe == OverSubscribe::kForce) return true;
  return partition.oversubscribe == OverSubscribe::kYes && shape.oversubscribe &&
         partition.oversubscribe_jobs > 1;
}

}  // namespace

bool has_shared_nodes(const Policy& policy) {
  const auto is_forced = [](const Partition& partition) {
    return partition.oversubscribe == OverSubscribe::kForce;
  };
  const std::vector<Partition>& all = policy.partitions;
  return std::any_of(all.begin(), all.end(), [](const Partition& p) { return has_layers(p); }) &&
         !std::all_of(all.begin(), all.end(), is_forced);
}

// A job that shares keeps away from those that do not; one that does not, from partitions whose
// jobs could share.
bool may_meet(const Policy& policy, const Shape& shape, PartitionId partition, const Shape& other,
              PartitionId others_partition) {
  const Partition& theirs = policy.partitions[others_partition.index()];
  if (shares_cpus(policy.partitions[partition.index()], shape)) return shares_cpus(theirs, other);
  return !has_layers(theirs);
}

NodeBits nodes_closed_to(const State& state, const Shape& shape, PartitionId partition,
                         const std::function<bool(const Job&)>& counts) {
  NodeBits out;
  out.resize(state.nodes().size());
  if (!has_shared_nodes(state.policy())) return out;
  const auto look_at = [&](const Job& job) {
    const Run& run = state.run_of(job);
    if (may_meet(state.policy(), shape, partition, state.shape_of_job(job), run.partition)) return;
    if (counts && !counts(job)) return;
    for (const NodeShare& share : run.allocation.shares()) out.set(share.node);
  };
  // Those that hold nodes; asked for every placement, so not all jobs are walked over.
  for (const ExpectedEnd& end : state.expected_ends()) look_at(state.job(end.job));
  for (const JobId id : state.suspended()) look_at(state.job(id));
  return out;
}

bool keeps_users_apart(const State& state, const Shape& shape) {
  return shape.by_user || state.jobs_by_user() > 0;
}

// As slurmctld's filter_by_node_owner: what is on a node now counts for plans too, and jobs that
// could be preempted as well.
NodeBits nodes_of_other_users(const State& state, const Shape& shape) {
  NodeBits out;
  out.resize(state.nodes().size());
  const auto look_at = [&](const Job& job) {
    const Shape& other = state.shape_of_job(job);
    if (other.user == shape.user || !(shape.by_user || other.by_user)) return;
    for (const NodeShare& share : state.run_of(job).allocation.shares()) out.set(share.node);
  };
  for (const ExpectedEnd& end : state.expected_ends()) look_at(state.job(end.job));
  for (const JobId id : state.suspended()) look_at(state.job(id));
  return out;
}

void close_nodes(const NodeBits& closed, std::vector<NodeFree>& free) {
  closed.for_each([&](NodeId node) {
    free[node.index()].usable = false;
    return true;
  });
}

}  // namespace sluice
