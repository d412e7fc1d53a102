// Explaining: the same walk that decides, to its end.
#include "policy/gates.h"

#include <string_view>

#include "policy/limit_walk.h"
#include "policy/partition_access.h"

namespace sluice {
namespace {

struct RuleName {
  Rule rule;
  std::string_view qos;
  std::string_view assoc;  // Empty: the same.
};

constexpr RuleName kTresNames[] = {
    {Rule::kGrpTres, "GrpTRES", {}},
    {Rule::kGrpTresMinutes, "GrpTRESMins", {}},
    {Rule::kGrpTresRunMinutes, "GrpTRESRunMins", {}},
    {Rule::kMaxTresPerJob, "MaxTRESPerJob", {}},
    {Rule::kMaxTresPerNode, "MaxTRESPerNode", {}},
    {Rule::kMaxTresMinutesPerJob, "MaxTRESMinsPerJob", {}},
    {Rule::kMinTresPerJob, "MinTRESPerJob", {}},
    {Rule::kMaxTresPerUser, "MaxTRESPerUser", {}},
    {Rule::kMaxTresPerAccount, "MaxTRESPerAccount", {}},
    {Rule::kMaxTresRunMinutesPerUser, "MaxTRESRunMinsPerUser", {}},
    {Rule::kMaxTresRunMinutesPerAccount, "MaxTRESRunMinsPerAccount", {}},
};

constexpr RuleName kPlainNames[] = {
    {Rule::kGrpJobs, "GrpJobs", {}},
    {Rule::kGrpSubmitJobs, "GrpSubmitJobs", {}},
    {Rule::kGrpWall, "GrpWall", {}},
    {Rule::kMaxWall, "MaxWall", {}},
    {Rule::kMaxJobsPerUser, "MaxJobsPerUser", "MaxJobs"},
    {Rule::kMaxSubmitJobsPerUser, "MaxSubmitJobsPerUser", "MaxSubmitJobs"},
    {Rule::kMaxJobsPerAccount, "MaxJobsPerAccount", {}},
    {Rule::kMaxSubmitJobsPerAccount, "MaxSubmitJobsPerAccount", {}},
    {Rule::kPartitionTimeLimit, "MaxTime", {}},
    {Rule::kPartitionConfig, "TotalCPUs", {}},
    {Rule::kMaxMemoryPerLimit, "MaxMemPerNode", {}},
    {Rule::kPartitionDown, "State", {}},
    {Rule::kPartitionInactive, "State", {}},
    {Rule::kAccountNotAllowed, "AllowAccounts", {}},
    {Rule::kQosNotAllowed, "AllowQos", {}},
    {Rule::kInvalidAccount, "Association", {}},
    {Rule::kInvalidQos, "QOS", {}},
};

std::string_view name_of(const RuleName& row, const Reason& reason) {
  return reason.holder == LimitHolder::kAssociation && !row.assoc.empty() ? row.assoc : row.qos;
}

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
  for (const RuleName& row : kTresNames)
    if (row.rule == reason.rule)
      return std::string(name_of(row, reason)) + " " + policy.tres.name(reason.tres);
  for (const RuleName& row : kPlainNames)
    if (row.rule == reason.rule) return std::string(name_of(row, reason));
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
  const LimitQuestion question{state, shape, partition, limit, tres, now};
  LimitWalk before(question, collect);
  before.before_placement();
  LimitWalk after(question, collect);
  after.after_placement();
  return gates;
}

}  // namespace sluice
