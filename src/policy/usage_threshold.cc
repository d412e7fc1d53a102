// job_limits_check's last look, as slurmctld 22.05 has it.
#include "policy/usage_threshold.h"

#include <cmath>

namespace sluice {

// The part of the priority is compared, weight and all. Where fairshare gives nothing (it has no
// weight), slurmctld takes the classic factor, whatever formula ranks the users. Without a
// threshold no part is large enough.
ThresholdSeen threshold_of(const Policy& policy, const Shape& shape, const Fairshare& fairshare) {
  const FairshareRow& row = fairshare.rows[shape.assoc->index()];
  double part = row.factor * static_cast<double>(policy.priority.weight_fairshare);
  if (policy.priority.type == PriorityType::kBasic) part = 0;
  if (part == 0) part = classic_factor(policy.priority, row);
  const auto& threshold = policy.qos[shape.qos->index()].usage_threshold_millionths;
  ThresholdSeen out;
  out.reason = Reason{.rule = Rule::kUsageThreshold,
                      .holder = LimitHolder::kJobQos,
                      .holder_id = shape.qos->value(),
                      .limit = threshold.value_or(kNoThreshold),
                      .used = std::llround(part * 1e6)};
  out.passed = threshold && part >= static_cast<double>(*threshold) / 1e6;
  return out;
}

std::optional<Reason> threshold_now(const State& state, const Shape& shape) {
  if (!has_threshold(state.policy(), shape)) return std::nullopt;
  Fairshare fairshare;
  compute_fairshare(state, fairshare);
  const ThresholdSeen seen = threshold_of(state.policy(), shape, fairshare);
  return seen.passed ? std::nullopt : std::optional(seen.reason);
}

}  // namespace sluice
