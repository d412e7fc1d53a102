// Slurm's words for the rules; 22.05 spells them unevenly, so each is written out.
#include "model/reason.h"

#include <algorithm>

#include "base/check.h"
#include "model/limit_table.h"

namespace sluice {
namespace {

// The order of LimitWords.
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

struct RuleWord {
  Rule rule;
  std::string_view word;
};

// Limits of QoS and associations have theirs in model/limit_table.h.
constexpr RuleWord kWords[] = {
    {Rule::kNone, "None"},
    {Rule::kPriority, "Priority"},
    {Rule::kResources, "Resources"},
    {Rule::kBeginTime, "BeginTime"},
    {Rule::kDependency, "Dependency"},
    {Rule::kDependencyNeverSatisfied, "DependencyNeverSatisfied"},
    {Rule::kHeldByUser, "JobHeldUser"},
    {Rule::kHeldByAdmin, "JobHeldAdmin"},
    {Rule::kHeldAfterRequeues, "JobHoldMaxRequeue"},
    {Rule::kArrayTaskLimit, "JobArrayTaskLimit"},
    {Rule::kLicenses, "Licenses"},
    {Rule::kNodeNotAvailable, "ReqNodeNotAvail"},
    {Rule::kNodeDown, "NodeDown"},
    {Rule::kReservation, "Reservation"},
    {Rule::kReservationDeleted, "ReservationDeleted"},
    {Rule::kNodeReserved, "ReqNodeNotAvail"},
    {Rule::kCleaning, "Cleaning"},
    {Rule::kDeadline, "DeadLine"},
    {Rule::kBadConstraints, "BadConstraints"},
    {Rule::kPartitionDown, "PartitionDown"},
    {Rule::kPartitionInactive, "PartitionInactive"},
    {Rule::kPartitionNodeLimit, "PartitionNodeLimit"},
    {Rule::kPartitionTimeLimit, "PartitionTimeLimit"},
    {Rule::kPartitionConfig, "PartitionConfig"},
    {Rule::kAccountNotAllowed, "AccountNotAllowed"},
    {Rule::kQosNotAllowed, "QOSNotAllowed"},
    {Rule::kInvalidAccount, "InvalidAccount"},
    {Rule::kInvalidQos, "InvalidQOS"},
    {Rule::kMaxMemoryPerLimit, "MaxMemPerLimit"},
    {Rule::kUsageThreshold, "QOSUsageThreshold"},
};

}  // namespace

std::string slurm_word(const Reason& reason, const TresRegistry& tres) {
  for (const RuleWord& row : kWords)
    if (row.rule == reason.rule) return std::string(row.word);
  const LimitRow* row = find_limit(reason);
  if (row == nullptr) row = find_limit(reason.rule);
  CHECK(row != nullptr, "a rule has no word");
  const std::size_t at = row->by_tres() ? static_cast<std::size_t>(kind_of(reason.tres, tres)) : 0;
  const std::string_view of_association = row->association_words[at];
  if (reason.holder == LimitHolder::kAssociation && !of_association.empty())
    return std::string(of_association);
  return std::string(row->qos_words[at]);
}

std::optional<Rule> rule_of_word(std::string_view word) {
  if (word.empty()) return std::nullopt;
  for (const RuleWord& row : kWords)
    if (row.word == word) return row.rule;
  for (const LimitRow& row : kLimitTable)
    for (const LimitWords* words : {&row.qos_words, &row.association_words})
      if (std::find(words->begin(), words->end(), word) != words->end()) return row.rule;
  return std::nullopt;
}

}  // namespace sluice
