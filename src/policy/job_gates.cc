// Each gate in the order in which slurmctld comes to it.
#include "policy/job_gates.h"

#include <vector>

#include "policy/asked_on_nodes.h"
#include "policy/idle_node.h"
#include "policy/limits.h"
#include "policy/partition_access.h"
#include "policy/placement.h"
#include "policy/usage_threshold.h"

namespace sluice {

std::optional<Reason> JobGates::before_nodes(const State& state, const QueueEntry& entry,
                                             const Job& job, const Shape& shape,
                                             Instant now) const {
  if (auto reason = partition(state, entry, job, shape)) return reason;
  return licenses_and_own(state, entry, job, shape, now);
}

std::optional<Reason> JobGates::partition(const State& state, const QueueEntry& entry,
                                          const Job& job, const Shape& shape) const {
  if (auto reason = partition_gate(state, shape, entry.partition, job.limit)) return reason;
  if (!traits_.thresholds || !has_threshold(state.policy(), shape)) return std::nullopt;
  // The queue notes what was used only where priorities are made of it.
  if (state.policy().priority.type == PriorityType::kBasic) return threshold_now(state, shape);
  const ThresholdSeen seen = threshold_of(state.policy(), shape, queue_->fairshare());
  return seen.passed ? std::nullopt : std::optional(seen.reason);
}

// Backfill looks at limits before licenses, the main loop the other way round; what the last of
// them says stays.
std::optional<Reason> JobGates::licenses_and_own(const State& state, const QueueEntry& entry,
                                                 const Job& job, const Shape& shape,
                                                 Instant now) const {
  const auto license = licenses(state, shape);
  const auto of_job = own(state, entry, job, shape, now);
  if (state.policy().scheduler.type == SchedulerType::kBackfill) return of_job ? of_job : license;
  return license ? license : of_job;
}

std::optional<Reason> JobGates::licenses(const State& state, const Shape& shape) const {
  if (!shape.has_licenses) return std::nullopt;
  for (const LicenseRequest& wanted : shape.request->licenses)
    for (std::size_t i = 0; i < state.policy().licenses.size(); ++i) {
      const License& license = state.policy().licenses[i];
      const std::int64_t taken = state.licenses_taken(LicenseId(static_cast<std::uint32_t>(i)));
      if (license.name == wanted.name && taken + wanted.count > license.count)
        return Reason{
            .rule = Rule::kLicenses, .limit = license.count, .used = taken, .asked = wanted.count};
    }
  return std::nullopt;
}

std::optional<Reason> JobGates::own(const State& state, const QueueEntry& entry, const Job& job,
                                    const Shape& shape, Instant now) const {
  if (job.array != JobId{})
    if (auto reason = array(state, job)) return reason;
  return limit_before(state, job, shape, entry.partition, now);
}

std::optional<Reason> JobGates::array(const State& state, const Job& job) {
  const Array* array = state.find_array(job.array);
  if (!array->throttle || array->holding < *array->throttle) return std::nullopt;
  return Reason{
      .rule = Rule::kArrayTaskLimit, .limit = *array->throttle, .used = array->holding, .asked = 1};
}

std::optional<Reason> JobGates::limit_before(const State& state, const Job& job, const Shape& shape,
                                             PartitionId partition, Instant now) const {
  if (!traits_.has_limits || shortcuts_.has_no_limit_before(shape, partition)) return std::nullopt;
  return limit_before_placement(state, shape, partition, job.limit, now);
}

std::optional<Reason> JobGates::limit_of_given(const State& state, const Job& job,
                                               const Shape& shape, PartitionId partition,
                                               const Allocation& given, Instant now) const {
  if (!traits_.has_limits) return std::nullopt;
  const TresVector tres = tres_of(state.policy(), shape, partition, given);
  return limit_after_placement(state, shape, partition, job.limit, tres, now, &given);
}

std::optional<Reason> JobGates::limit_of_request(const State& state, const Job& job,
                                                 const Shape& shape, PartitionId partition,
                                                 Instant now) const {
  if (!traits_.has_limits) return std::nullopt;
  if (!nodes_change_request(shape, traits_.given_may_pass))
    return limit_after_placement(state, shape, partition, job.limit, shape.asked, now);
  // slurmctld counts the nodes that it would give the job if all that are up were idle.
  std::vector<NodeFree> idle(state.nodes().size());
  for (std::size_t i = 0; i < idle.size(); ++i) idle[i] = idle_node(state, i, partition, shape);
  const auto found = place(topology_, shape, partition, idle);
  const TresVector asked = asked_on(state.policy(), shape, partition,
                                    found ? std::ssize(found->shares()) : shape.min_nodes);
  return limit_after_placement(state, shape, partition, job.limit, asked, now);
}

bool JobGates::are_open(const State& state, const QueueEntry& entry, Instant now) const {
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  if (job.array != JobId{} && array(state, job)) return false;
  if (licenses(state, shape)) return false;
  if (traits_.thresholds && partition(state, entry, job, shape)) return false;
  const auto known = shortcuts_.limits().recall(state, entry, job.spec, shape);
#ifndef SLUICE_CHECKED
  if (known) return *known;
#endif
  const bool with_more_nodes_less_on_each =
      !traits_.has_limits ||
      (traits_.given_may_pass && nodes_change_request(shape, traits_.given_may_pass));
  const bool open =
      !partition_gate(state, shape, entry.partition, job.limit) &&
      !limit_before(state, job, shape, entry.partition, now) &&
      (with_more_nodes_less_on_each ||
       !limit_after_placement(state, shape, entry.partition, job.limit, shape.asked, now));
  CHECK(!known || *known == open, "limits let through what they did while nothing changes");
  shortcuts_.limits().note(state, entry, job.spec, open);
  return open;
}

}  // namespace sluice
