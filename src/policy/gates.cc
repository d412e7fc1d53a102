// Explaining: the same walk that decides, to its end.
#include "policy/gates.h"

#include <string_view>

#include "limits/walk.h"
#include "model/limit_table.h"
#include "policy/partition_access.h"
#include "policy/state_usage.h"
#include "policy/usage_threshold.h"

namespace sluice {
namespace {

struct RuleName {
  Rule rule;
  std::string_view name;
};

// What is not a limit of a QoS or an association; those stand in the table of limits.
constexpr RuleName kOtherNames[] = {
    {Rule::kPartitionTimeLimit, "MaxTime"},
    {Rule::kPartitionConfig, "TotalCPUs"},
    {Rule::kMaxMemoryPerLimit, "MaxMemPerNode"},
    {Rule::kUsageThreshold, "UsageThreshold"},
    {Rule::kPartitionDown, "State"},
    {Rule::kPartitionInactive, "State"},
    {Rule::kAccountNotAllowed, "AllowAccounts"},
    {Rule::kQosNotAllowed, "AllowQos"},
    {Rule::kInvalidAccount, "Association"},
    {Rule::kInvalidQos, "QOS"},
};

Gate gate_of(const Policy& policy, const Reason& reason, bool passed) {
  return Gate{limit_name(policy, reason),
              holder_name(policy, reason),
              reason.limit,
              reason.used,
              reason.asked,
              passed,
              reason};
}

}  // namespace

std::string holder_name(const Policy& policy, const Reason& reason) {
  switch (reason.holder) {
    case LimitHolder::kNone:
      return {};
    case LimitHolder::kJobQos:
    case LimitHolder::kPartitionQos:
      return "qos " + policy.qos[reason.holder_id].name;
    case LimitHolder::kAssociation: {
      const Association& assoc = policy.associations[reason.holder_id];
      if (assoc.user.empty()) return "account " + assoc.account;
      return "user " + assoc.user + " of " + assoc.account;
    }
    case LimitHolder::kPartition:
      return "partition " + policy.partitions[reason.holder_id].name;
  }
  return {};
}

std::string limit_name(const Policy& policy, const Reason& reason) {
  if (const LimitRow* row = find_limit(reason))
    return row->by_tres() ? std::string(row->name) + " " + policy.tres.name(reason.tres)
                          : std::string(row->name);
  for (const RuleName& row : kOtherNames)
    if (row.rule == reason.rule) return std::string(row.name);
  if (reason.rule == Rule::kPartitionNodeLimit)
    // Both bounds have one reason; without MaxNodes the partition's own nodes are the most.
    return policy.partitions[reason.holder_id].min_nodes == reason.limit ? "MinNodes" : "MaxNodes";
  return {};
}

std::vector<Gate> gates_of(const State& state, const Shape& shape, PartitionId partition,
                           Duration limit, const TresVector& tres, Instant now) {
  const Policy& policy = state.policy();
  std::vector<Gate> gates;
  const auto collect = [&](const Reason& reason, bool passed) {
    gates.push_back(gate_of(policy, reason, passed));
    return true;
  };
  if (policy.enforce.associations) {
    Reason reason{.rule = Rule::kInvalidAccount};
    if (shape.assoc) {
      reason.holder = LimitHolder::kAssociation;
      reason.holder_id = shape.assoc->value();
    }
    collect(reason, shape.assoc.has_value());
  }
  if (shape.qos || policy.enforce.qos) {
    Reason reason{.rule = Rule::kInvalidQos};
    if (shape.qos) {
      reason.holder = LimitHolder::kJobQos;
      reason.holder_id = shape.qos->value();
    }
    collect(reason,
            shape.qos.has_value() || shape.request == nullptr || shape.request->qos.empty());
  }
  walk_partition(policy, shape, partition, limit, collect);
  if (has_threshold(policy, shape)) {
    Fairshare fairshare;
    compute_fairshare(state, fairshare);
    const ThresholdSeen seen = threshold_of(policy, shape, fairshare);
    collect(seen.reason, seen.passed);
  }
  LimitQuestion question{shape.assoc, shape.qos, partition, limit, tres, shape.min_nodes};
  question.limit_by_operator = shape.limit_by_operator;
  const StateUsage usage(state, shape, tres, now);
  LimitWalk before(question, usage, collect);
  before.before_placement();
  LimitWalk after(question, usage, collect);
  after.after_placement();
  return gates;
}

}  // namespace sluice
