// Deciding: the walk over the limits, up to the first that stops the job.
#include "policy/limits.h"

#include "limits/walk.h"
#include "model/billing.h"
#include "model/default_memory.h"
#include "policy/state_usage.h"

namespace sluice {
namespace {

class FirstFailure {
 public:
  bool operator()(const Reason& reason, bool passed) {
    if (!passed) reason_ = reason;
    return passed;
  }
  const std::optional<Reason>& reason() const { return reason_; }

 private:
  std::optional<Reason> reason_;
};

using Walk = LimitWalk<StateUsage, FirstFailure>;

// For limits that depend on nothing but the job.
struct WithoutUsage {
  const Policy& of;
  const Policy& policy() const { return of; }
  QosPair qos_pair(PartitionId partition, std::optional<QosId> qos) const {
    return qos_in_order(of, partition, qos);
  }
};

std::optional<Reason> first_failure(const LimitQuestion& question, const StateUsage& usage,
                                    bool (Walk::*part)()) {
  FirstFailure failure;
  Walk walk(question, usage, failure);
  (walk.*part)();
  return failure.reason();
}

// In the order in which the job names them.
std::optional<Reason> first_partition_failure(const State& state, const Shape& shape,
                                              std::int64_t tasks,
                                              const CountedSubmission* counted) {
  const TresVector asked = counted_at_submission(state.policy(), state.names(), shape);
  const StateUsage usage(state, shape, asked, state.origin(), counted);
  for (PartitionId partition : shape.partitions) {
    LimitQuestion question{shape.assoc, shape.qos,       partition, shape.limit,
                           asked,       shape.min_nodes, tasks};
    question.is_change = counted != nullptr;
    question.time_changes = counted == nullptr || counted->shape.limit != shape.limit;
    question.limit_by_operator = shape.limit_by_operator;
    if (auto reason = first_failure(question, usage, &Walk::at_submission)) return reason;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Reason> limit_at_submission(const State& state, const Shape& shape,
                                          std::int64_t tasks) {
  return first_partition_failure(state, shape, tasks, nullptr);
}

std::optional<Reason> limit_at_change(const State& state, const Shape& before, const Shape& after,
                                      std::int64_t tasks) {
  const CountedSubmission counted{before, tasks};
  // A longer time alone is not refused: the job waits.
  if (before.asked == after.asked && before.assoc == after.assoc && before.qos == after.qos &&
      before.partitions == after.partitions)
    return std::nullopt;
  return first_partition_failure(state, after, tasks, &counted);
}

TresVector counted_at_submission(const Policy& policy, const PolicyNames& names,
                                 const Shape& shape) {
  const JobSpec& said = *shape.request;
  std::optional<MemoryRequest> usual;
  if (shape.memory_per_gpu > 0 && !shape.partitions.empty())
    usual = usual_memory(policy, shape.partitions.front());
  if (!said.cpus_per_gpu && !usual) return shape.asked;
  auto counted = std::make_shared<JobSpec>(said);
  counted->cpus_per_gpu.reset();
  if (usual) counted->memory = usual;
  return shape_of(policy, names, std::move(counted), shape.user).asked;
}

TresVector counted_to_start(const Policy& policy, const Shape& shape, PartitionId partition,
                            const TresVector& held) {
  if (shape.gpus.empty()) return held;
  TresVector out = held;
  for (std::size_t i = 0; i < policy.tres.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    if (out[tres] != 0 && shape.asked[tres] == 0 && policy.tres.name(tres).starts_with("gres/gpu:"))
      out[tres] = 0;
  }
  if (out != held) out[kTresBilling] = billing_of(policy, partition, out);
  return out;
}

std::optional<Reason> limit_before_placement(const State& state, const Shape& shape,
                                             PartitionId partition, Duration limit, Instant now) {
  LimitQuestion question{shape.assoc, shape.qos, partition, limit, shape.asked, shape.min_nodes};
  question.limit_by_operator = shape.limit_by_operator;
  const StateUsage usage(state, shape, shape.asked, now);
  return first_failure(question, usage, &Walk::before_placement);
}

std::optional<Reason> limit_after_placement(const State& state, const Shape& shape,
                                            PartitionId partition, Duration limit,
                                            const TresVector& held, Instant now,
                                            const Allocation* allocation) {
  const TresVector tres = counted_to_start(state.policy(), shape, partition, held);
  const LimitQuestion question{shape.assoc, shape.qos, partition, limit, tres, shape.min_nodes};
  const StateUsage usage(state, shape, tres, now, nullptr, allocation);
  return first_failure(question, usage, &Walk::after_placement);
}

std::optional<std::int64_t> most_nodes_by_limits(const Policy& policy, const Shape& shape,
                                                 PartitionId partition) {
  if (!policy.enforce.limits) return std::nullopt;
  const LimitQuestion question{shape.assoc, shape.qos,   partition,
                               shape.limit, shape.asked, shape.min_nodes};
  const WithoutUsage usage{policy};
  std::optional<std::int64_t> most;
  const auto note = [&](const Reason& reason, bool) {
    most = reason.limit;
    return true;
  };
  LimitWalk<WithoutUsage, decltype(note)> walk(question, usage, note);
  walk.node_counts();
  return most;
}

std::optional<Duration> wall_from_limits(const Policy& policy, std::optional<AssocId> assoc,
                                         std::optional<QosId> qos, PartitionId partition) {
  if (!policy.enforce.limits) return std::nullopt;
  const QosPair pair = qos_in_order(policy, partition, qos);
  std::optional<Duration> max;
  std::optional<Duration> group;
  for (const std::optional<QosId>& id : {pair.first, pair.second}) {
    if (!id) continue;
    const Qos& level = policy.qos[id->index()];
    if (!max) max = level.job.max_wall;
    if (!group) group = level.group.wall;
  }
  const bool group_hidden = group.has_value();
  for (; assoc; assoc = policy.associations[assoc->index()].parent) {
    const Association& level = policy.associations[assoc->index()];
    if (!max) max = level.job.max_wall;
    if (!group_hidden && level.group.wall)
      group = std::min(group.value_or(*level.group.wall), *level.group.wall);
  }
  if (!max || !group) return max ? max : group;
  return std::min(*max, *group);
}

}  // namespace sluice
