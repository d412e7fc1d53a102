#include "views/refusal_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "policy/refusal.h"
#include "views/reason_text.h"

namespace sluice {
namespace {

// A policy may have hundreds; a message is read.
std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kShown = 12;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string accounts_text(const Policy& policy, const std::string& user) {
  std::vector<std::string> names;
  for (const Association& each : policy.associations)
    if (each.user == user) names.push_back(each.account);
  if (names.empty()) return fmt::format("{} has no account in this policy", user);
  return fmt::format("{} may use: {}", user, listed(std::move(names)));
}

std::string qos_text(const Policy& policy, const AskedNames& asked) {
  std::string account = asked.account;
  if (account.empty())
    if (const auto user = policy.find_user(asked.user))
      account = policy.users[user->index()].default_account;
  const auto assoc = policy.find_association(account, asked.user, "");
  if (!assoc) return {};
  std::vector<std::string> names;
  for (const QosId id : policy.allowed_qos(*assoc)) names.push_back(policy.qos[id.index()].name);
  if (names.empty()) names.emplace_back("normal");
  return fmt::format("in account {} {} may use the QoS: {}", account, asked.user,
                     listed(std::move(names)));
}

std::string allowed_text(const std::string& what, const std::string& partition,
                         const std::vector<std::string>& allowed,
                         const std::vector<std::string>& denied) {
  if (!allowed.empty())
    return fmt::format("partition {} takes the {}: {}", partition, what, listed(allowed));
  return fmt::format("partition {} does not take the {}: {}", partition, what, listed(denied));
}

std::string partitions_text(const Policy& policy) {
  std::vector<std::string> names;
  for (const Partition& each : policy.partitions)
    if (each.state == PartitionState::kUp) names.push_back(each.name);
  return names.empty() ? "no partition is open"
                       : fmt::format("the partitions are: {}", listed(std::move(names)));
}

const Partition* holder_of(const Policy& policy, const Reason& reason) {
  if (reason.holder != LimitHolder::kPartition || reason.holder_id >= policy.partitions.size())
    return nullptr;
  return &policy.partitions[reason.holder_id];
}

}  // namespace

AskedNames AskedNames::of(const JobSpec& spec) {
  return {spec.user, spec.account, spec.qos, spec.partitions};
}

std::string refusal_detail(const Policy& policy, const AskedNames& asked, const Refusal& refusal) {
  const Reason& reason = refusal.reason;
  const Partition* partition = holder_of(policy, reason);
  switch (reason.rule) {
    case Rule::kInvalidAccount:
      return accounts_text(policy, asked.user);
    case Rule::kInvalidQos:
      return qos_text(policy, asked);
    case Rule::kAccountNotAllowed:
      if (partition == nullptr) return accounts_text(policy, asked.user);
      return allowed_text("accounts", partition->name, partition->allow_accounts,
                          partition->deny_accounts);
    case Rule::kQosNotAllowed:
      if (partition == nullptr) return qos_text(policy, asked);
      return allowed_text("QoS", partition->name, partition->allow_qos, partition->deny_qos);
    default:
      break;
  }
  if (refusal.message == refusal::kPartition || refusal.message == refusal::kNoPartition ||
      refusal.message == refusal::kPartitionClosed)
    return partitions_text(policy);
  if (reason.limit == 0 && reason.used == 0 && reason.asked == 0) return {};
  return limit_numbers(policy, reason);
}

}  // namespace sluice
