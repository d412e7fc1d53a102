// Deciding: the walk over the limits, up to the first that stops the job.
#include "policy/limits.h"

#include "policy/limit_walk.h"

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

template <class Part>
std::optional<Reason> first_failure(const LimitQuestion& question, Part part) {
  FirstFailure failure;
  LimitWalk<FirstFailure> walk(question, failure);
  (walk.*part)();
  return failure.reason();
}

}  // namespace

std::optional<Reason> limit_at_submission(const State& state, const Shape& shape,
                                          PartitionId partition, std::int64_t tasks) {
  const LimitQuestion question{state,       shape,          partition, shape.limit,
                               shape.asked, state.origin(), tasks};
  return first_failure(question, &LimitWalk<FirstFailure>::at_submission);
}

std::optional<Reason> limit_at_change(const State& state, const Shape& before, const Shape& after,
                                      PartitionId partition, std::int64_t tasks) {
  const CountedSubmission counted{before, tasks};
  const LimitQuestion question{state,       after,          partition, after.limit,
                               after.asked, state.origin(), tasks,     &counted};
  return first_failure(question, &LimitWalk<FirstFailure>::at_submission);
}

std::optional<Reason> limit_before_placement(const State& state, const Shape& shape,
                                             PartitionId partition, Duration limit, Instant now) {
  const LimitQuestion question{state, shape, partition, limit, shape.asked, now};
  return first_failure(question, &LimitWalk<FirstFailure>::before_placement);
}

std::optional<Reason> limit_after_placement(const State& state, const Shape& shape,
                                            PartitionId partition, Duration limit,
                                            const TresVector& tres, Instant now) {
  const LimitQuestion question{state, shape, partition, limit, tres, now};
  return first_failure(question, &LimitWalk<FirstFailure>::after_placement);
}

std::optional<Duration> wall_from_limits(const State& state, const Shape& shape,
                                         PartitionId partition) {
  const Policy& policy = state.policy();
  if (!policy.enforce.limits) return std::nullopt;
  const QosPair pair = qos_in_order(policy, partition, shape.qos);
  std::optional<Duration> max;
  std::optional<Duration> group;
  for (const std::optional<QosId>& id : {pair.first, pair.second}) {
    if (!id) continue;
    const Qos& qos = policy.qos[id->index()];
    if (!max) max = qos.job.max_wall;
    if (!group) group = qos.group.wall;
  }
  const bool group_hidden = group.has_value();
  for (std::optional<AssocId> a = shape.assoc; a; a = policy.associations[a->index()].parent) {
    const Association& assoc = policy.associations[a->index()];
    if (!max) max = assoc.job.max_wall;
    if (!group_hidden && assoc.group.wall)
      group = std::min(group.value_or(*assoc.group.wall), *assoc.group.wall);
  }
  if (!max || !group) return max ? max : group;
  return std::min(*max, *group);
}

}  // namespace sluice
