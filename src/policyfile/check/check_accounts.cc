// The account tree: shares that are taken for reservations, defaults that no user may use.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policyfile/check/check.h"

namespace sluice {
namespace {

std::string path_of(const Association& a) {
  return a.user.empty() ? "accounts." + a.account
                        : fmt::format("accounts.{}.users.{}", a.account, a.user);
}

void check_default_qos(Checks& checks) {
  const Policy& policy = checks.policy;
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& a = policy.associations[i];
    const AssocId id(static_cast<AssocId::rep>(i));
    const auto chosen = policy.default_qos(id);
    // Where neither is its own, the one above it has been told already.
    if (!chosen || (!a.default_qos && a.qos.empty())) continue;
    const std::vector<QosId>& allowed = policy.allowed_qos(id);
    if (std::find(allowed.begin(), allowed.end(), *chosen) != allowed.end()) continue;
    const std::string& name = policy.qos[chosen->index()].name;
    checks.add(Severity::kError, "default-qos", path_of(a) + ".default_qos",
               fmt::format("the default QoS '{}' is not among the QoS it may use", name),
               fmt::format("qos: [{}]", name));
  }
}

void check_shares(Checks& checks) {
  const Policy& policy = checks.policy;
  std::map<AssocId, std::vector<const Association*>> siblings;
  for (const Association& a : policy.associations)
    if (a.parent && a.user.empty() && !a.shares_of_parent) siblings[*a.parent].push_back(&a);
  for (const auto& [parent, accounts] : siblings) {
    std::int64_t sum = 0;
    const Association* first = accounts.front();
    bool equal = true;
    bool capped = false;
    for (const Association* a : accounts) {
      sum += a->shares;
      equal = equal && a->shares == first->shares;
      capped = capped || !a->group.tres.empty();
      if (a->shares > first->shares) first = a;
    }
    if (equal || capped || sum == 0) continue;
    checks.add(Severity::kNote, "shares-reserve-nothing", path_of(*first) + ".shares",
               fmt::format("{} of {} shares let '{}' go first until it has had {}% of the use; "
                           "they keep nothing free for it",
                           first->shares, sum, first->account, first->shares * 100 / sum),
               fmt::format("GrpTRES: gres/gpu=8     # at each other account, to keep the rest for "
                           "'{}'",
                           first->account));
  }
}

void check_users(Checks& checks) {
  const Policy& policy = checks.policy;
  std::map<std::string, std::vector<std::string>> accounts;
  for (const Association& a : policy.associations)
    if (!a.user.empty()) accounts[a.user].push_back(a.account);
  for (const User& user : policy.users) {
    const std::vector<std::string>& own = accounts[user.name];
    if (user.default_account.empty() ||
        std::find(own.begin(), own.end(), user.default_account) != own.end())
      continue;
    checks.add(Severity::kError, "default-account", "users." + user.name + ".default_account",
               fmt::format("'{}' is not in account '{}'", user.name, user.default_account),
               own.empty() ? fmt::format("users: [{}]     # at account '{}'", user.name,
                                         user.default_account)
                           : fmt::format("default_account: {}", own.front()));
  }
}

void check_empty(Checks& checks) {
  const Policy& policy = checks.policy;
  if (!policy.enforce.associations) return;
  const bool anybody =
      std::any_of(policy.associations.begin(), policy.associations.end(),
                  [](const Association& a) { return !a.user.empty() && a.user != "root"; });
  if (!anybody)
    checks.add(Severity::kWarning, "nobody", "accounts",
               "associations are enforced and no account has users: only root may submit",
               "users: [alice]     # at an account, or enforce: none");
}

}  // namespace

void check_accounts(Checks& checks) {
  check_default_qos(checks);
  check_shares(checks);
  check_users(checks);
  check_empty(checks);
}

}  // namespace sluice
