// Slurm's words for the rules; 22.05 spells them unevenly, so each is written out.
#include "model/reason.h"

#include <array>

#include "base/check.h"

namespace sluice {
namespace {

// How Slurm names a dimension depends on the rule: "CpuLimit" or "CPUMinutesLimit" or "GRES".
enum class Kind : std::uint8_t { kCpu, kMem, kNode, kBilling, kGres, kLicense, kUnknown };

Kind kind_of(TresIndex tres, const TresRegistry& registry) {
  if (tres == kTresCpu) return Kind::kCpu;
  if (tres == kTresMem) return Kind::kMem;
  if (tres == kTresNode) return Kind::kNode;
  if (tres == kTresBilling) return Kind::kBilling;
  const std::string& name = registry.name(tres);
  if (name.starts_with("gres/")) return Kind::kGres;
  if (name.starts_with("license/")) return Kind::kLicense;
  return Kind::kUnknown;
}

using Words = std::array<std::string_view, 7>;  // One for each Kind.

struct RuleWords {
  Rule rule;
  Words qos;
  Words assoc;
};

constexpr RuleWords kTresWords[] = {
    {Rule::kGrpTres,
     {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpBilling", "QOSGrpGRES",
      "QOSGrpLicense", "QOSGrpUnknown"},
     {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpBilling",
      "AssocGrpGRES", "AssocGrpLicense", "AssocGrpUnknown"}},
    {Rule::kGrpTresMinutes,
     {"QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpNodeMinutes", "QOSGrpBillingMinutes",
      "QOSGrpGRESMinutes", "QOSGrpLicenseMinutes", "QOSGrpUnknownMinutes"},
     {"AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpNodeMinutes",
      "AssocGrpBillingMinutes", "AssocGrpGRESMinutes", "AssocGrpLicenseMinutes",
      "AssocGrpUnknownMinutes"}},
    {Rule::kGrpTresRunMinutes,
     {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
      "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
      "QOSGrpUnknownRunMinutes"},
     {"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes", "AssocGrpNodeRunMinutes",
      "AssocGrpBillingRunMinutes", "AssocGrpGRESRunMinutes", "AssocGrpLicenseRunMinutes",
      "AssocGrpUnknownRunMinutes"}},
    {Rule::kMaxTresPerJob,
     {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit", "QOSMaxBillingPerJob",
      "QOSMaxGRESPerJob", "QOSMaxLicensePerJob", "QOSMaxUnknownPerJob"},
     {"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit",
      "AssocMaxBillingPerJob", "AssocMaxGRESPerJob", "AssocMaxLicensePerJob",
      "AssocMaxUnknownPerJob"}},
    {Rule::kMaxTresPerNode,
     {"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxUnknownPerNode", "QOSMaxBillingPerNode",
      "QOSMaxGRESPerNode", "QOSMaxUnknownPerNode", "QOSMaxUnknownPerNode"},
     {"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxUnknownPerNode",
      "AssocMaxBillingPerNode", "AssocMaxGRESPerNode", "AssocMaxUnknownPerNode",
      "AssocMaxUnknownPerNode"}},
    {Rule::kMaxTresMinutesPerJob,
     {"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob", "QOSMaxNodeMinutesPerJob",
      "QOSMaxBillingMinutesPerJob", "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob",
      "QOSMaxUnknownMinutesPerJob"},
     {"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob", "AssocMaxNodeMinutesPerJob",
      "AssocMaxBillingMinutesPerJob", "AssocMaxGRESMinutesPerJob", "AssocMaxLicenseMinutesPerJob",
      "AssocMaxUnknownMinutesPerJob"}},
    {Rule::kMinTresPerJob,
     {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinBilling", "QOSMinGRES",
      "QOSMinLicense", "QOSMinUnknown"},
     {}},
    {Rule::kMaxTresPerUser,
     {"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit",
      "QOSMaxBillingPerUser", "QOSMaxGRESPerUser", "QOSMaxLicensePerUser", "QOSMaxUnknownPerUser"},
     {}},
    {Rule::kMaxTresPerAccount,
     {"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount", "MaxBillingPerAccount",
      "MaxGRESPerAccount", "MaxLicensePerAccount", "MaxUnknownPerAccount"},
     {}},
    // 22.05 has no words of its own for run minutes per user and per account.
    {Rule::kMaxTresRunMinutesPerUser,
     {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
      "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
      "QOSGrpUnknownRunMinutes"},
     {}},
    {Rule::kMaxTresRunMinutesPerAccount,
     {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
      "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
      "QOSGrpUnknownRunMinutes"},
     {}},
};

struct PlainWords {
  Rule rule;
  std::string_view qos;
  std::string_view assoc;  // Empty: the same.
};

constexpr PlainWords kPlainWords[] = {
    {Rule::kNone, "None", {}},
    {Rule::kPriority, "Priority", {}},
    {Rule::kResources, "Resources", {}},
    {Rule::kBeginTime, "BeginTime", {}},
    {Rule::kDependency, "Dependency", {}},
    {Rule::kDependencyNeverSatisfied, "DependencyNeverSatisfied", {}},
    {Rule::kHeldByUser, "JobHeldUser", {}},
    {Rule::kHeldByAdmin, "JobHeldAdmin", {}},
    {Rule::kHeldAfterRequeues, "JobHoldMaxRequeue", {}},
    {Rule::kArrayTaskLimit, "JobArrayTaskLimit", {}},
    {Rule::kLicenses, "Licenses", {}},
    {Rule::kNodeNotAvailable, "ReqNodeNotAvail", {}},
    {Rule::kNodeDown, "NodeDown", {}},
    {Rule::kReservation, "Reservation", {}},
    {Rule::kReservationDeleted, "ReservationDeleted", {}},
    {Rule::kNodeReserved, "ReqNodeNotAvail", {}},
    {Rule::kCleaning, "Cleaning", {}},
    {Rule::kDeadline, "DeadLine", {}},
    {Rule::kBadConstraints, "BadConstraints", {}},
    {Rule::kPartitionDown, "PartitionDown", {}},
    {Rule::kPartitionInactive, "PartitionInactive", {}},
    {Rule::kPartitionNodeLimit, "PartitionNodeLimit", {}},
    {Rule::kPartitionTimeLimit, "PartitionTimeLimit", {}},
    {Rule::kPartitionConfig, "PartitionConfig", {}},
    {Rule::kAccountNotAllowed, "AccountNotAllowed", {}},
    {Rule::kQosNotAllowed, "QOSNotAllowed", {}},
    {Rule::kInvalidAccount, "InvalidAccount", {}},
    {Rule::kInvalidQos, "InvalidQOS", {}},
    {Rule::kGrpJobs, "QOSGrpJobsLimit", "AssocGrpJobsLimit"},
    {Rule::kGrpSubmitJobs, "QOSGrpSubmitJobsLimit", "AssocGrpSubmitJobsLimit"},
    {Rule::kGrpWall, "QOSGrpWallLimit", "AssocGrpWallLimit"},
    {Rule::kMaxWall, "QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit"},
    {Rule::kMaxJobsPerUser, "QOSMaxJobsPerUserLimit", "AssocMaxJobsLimit"},
    {Rule::kMaxSubmitJobsPerUser, "QOSMaxSubmitJobPerUserLimit", "AssocMaxSubmitJobLimit"},
    {Rule::kMaxJobsPerAccount, "MaxJobsPerAccount", {}},
    {Rule::kMaxSubmitJobsPerAccount, "MaxSubmitJobsPerAccount", {}},
    {Rule::kMaxMemoryPerLimit, "MaxMemPerLimit", {}},
};

}  // namespace

std::string slurm_word(const Reason& reason, const TresRegistry& tres) {
  const bool by_assoc = reason.holder == LimitHolder::kAssociation;
  for (const PlainWords& row : kPlainWords)
    if (row.rule == reason.rule)
      return std::string(by_assoc && !row.assoc.empty() ? row.assoc : row.qos);
  for (const RuleWords& row : kTresWords)
    if (row.rule == reason.rule) {
      const auto kind = static_cast<std::size_t>(kind_of(reason.tres, tres));
      return std::string(by_assoc && !row.assoc[kind].empty() ? row.assoc[kind] : row.qos[kind]);
    }
  CHECK(false, "a rule has no word");
  return {};
}

std::optional<Rule> rule_of_word(std::string_view word) {
  for (const PlainWords& row : kPlainWords)
    if (row.qos == word || (!row.assoc.empty() && row.assoc == word)) return row.rule;
  for (const RuleWords& row : kTresWords)
    for (std::size_t i = 0; i < row.qos.size(); ++i)
      if (row.qos[i] == word || (!row.assoc[i].empty() && row.assoc[i] == word)) return row.rule;
  return std::nullopt;
}

}  // namespace sluice
