// One look at every QoS, association and partition.
#include "policy/policy_traits.h"

#include <algorithm>

#include "policy/cpu_cap.h"

namespace sluice {
namespace {

bool only_cpus_count(const Policy& policy) {
  if (policy.nodes.size() != 1 || policy.partitions.size() != 1) return false;
  const Node& node = policy.nodes.front();
  const Partition& partition = policy.partitions.front();
  return node.gpus.empty() && node.threads_per_core <= 1 && !policy.jobs.memory_is_consumable &&
         partition.state == PartitionState::kUp && !partition.max_time && !partition.max_nodes &&
         partition.min_nodes == 0 && !partition.qos && !partition.max_cpus_per_node &&
         partition.oversubscribe == OverSubscribe::kNo && !partition.exclusive_user &&
         partition.cpu_unit.value_or(policy.scheduler.cpu_unit) == CpuUnit::kCore &&
         policy.associations.size() <= 1 && !policy.enforce.limits && policy.licenses.empty() &&
         policy.preemption.type == PreemptType::kNone;
}

bool some_limit_is_of_time(const Policy& policy) {
  const auto is_of_time = [](const GroupLimits& group) {
    return !group.tres_minutes.empty() || !group.tres_run_minutes.empty() || group.wall;
  };
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [&](const Qos& qos) { return is_of_time(qos.group); }) ||
         std::any_of(policy.associations.begin(), policy.associations.end(),
                     [&](const Association& assoc) { return is_of_time(assoc.group); });
}

// Where a job may be given what passes although what it asks for does not: that may be too little,
// or too much for one node, and nodes on which its like run already do not count again.
bool given_may_pass_better(const Policy& policy) {
  const auto one_job = [](const JobLimits& job) {
    return !job.min_tres.empty() || !job.max_tres_node.empty();
  };
  const auto nodes = [](const TresLimits& limits) { return limits.has(kTresNode); };
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [&](const Qos& qos) {
                       return one_job(qos.job) || nodes(qos.group.tres) ||
                              nodes(qos.user.max_tres) || nodes(qos.account.max_tres);
                     }) ||
         std::any_of(policy.associations.begin(), policy.associations.end(),
                     [&](const Association& assoc) {
                       return one_job(assoc.job) || nodes(assoc.group.tres);
                     });
}

bool some_job_is_suspended(const Policy& policy) {
  const auto suspends = [](const auto& with_mode) {
    return with_mode.preempt_mode == PreemptMode::kSuspend;
  };
  return policy.preemption.type != PreemptType::kNone &&
         (policy.preemption.mode == PreemptMode::kSuspend ||
          std::any_of(policy.qos.begin(), policy.qos.end(), suspends) ||
          std::any_of(policy.partitions.begin(), policy.partitions.end(), suspends));
}

}  // namespace

PolicyTraits::PolicyTraits(const Policy& policy)
    : only_cpus(only_cpus_count(policy)),
      has_limits(policy.enforce.limits),
      given_may_pass(given_may_pass_better(policy)),
      thresholds(has_limits &&
                 std::any_of(policy.qos.begin(), policy.qos.end(),
                             [](const Qos& qos) { return qos.flags.enforce_usage_threshold; })),
      time_lifts(has_limits && (thresholds || some_limit_is_of_time(policy))),
      limits_stop(has_limits && policy.scheduler.assoc_limit_stop),
      preempts(policy.preemption.type != PreemptType::kNone),
      suspends(some_job_is_suspended(policy)),
      shares(std::any_of(policy.partitions.begin(), policy.partitions.end(),
                         [](const Partition& p) {
                           return p.oversubscribe == OverSubscribe::kForce ||
                                  p.oversubscribe == OverSubscribe::kYes;
                         })),
      caps_cpus(sluice::caps_cpus(policy)) {}

}  // namespace sluice
