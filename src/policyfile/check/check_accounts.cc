// The account tree: shares that are taken for reservations, defaults that no user may use.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "policyfile/check/check.h"
#include "policyfile/read/quantities.h"

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

// A QoS that asks for more than the limits of an account, or of a user in it, allow. What the QoS
// says itself hides them.
class Minimums {
 public:
  explicit Minimums(Checks& checks) : checks_(checks), policy_(checks.policy) {}

  void check() {
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      const AssocId id(static_cast<AssocId::rep>(i));
      if (policy_.associations[i].user.empty()) continue;
      for (const QosId qos : policy_.allowed_qos(id)) check(id, qos);
    }
  }

 private:
  void check(AssocId user, QosId id) {
    const Qos& qos = policy_.qos[id.index()];
    if (qos.job.min_tres.empty() || qos.limit_factor_millionths) return;
    for (std::size_t i = 0; i < policy_.tres.size(); ++i) {
      const TresIndex tres(static_cast<std::uint8_t>(i));
      const auto least = qos.job.min_tres.get(tres);
      if (!least) continue;
      bool nearest = !qos.job.max_tres.has(tres);
      for (std::optional<AssocId> a = user; a; a = policy_.associations[a->index()].parent) {
        const Association& holder = policy_.associations[a->index()];
        if (const auto most = holder.job.max_tres.get(tres); most && nearest) {
          nearest = false;
          compare(*a, id, "MaxTRESPerJob", tres, *most, *least);
        }
        if (const auto most = holder.group.tres.get(tres); most && !qos.group.tres.has(tres))
          compare(*a, id, "GrpTRES", tres, *most, *least);
      }
    }
  }

  void compare(AssocId holder, QosId id, const char* key, TresIndex tres, std::int64_t most,
               std::int64_t least) {
    if (most >= least || !said_.emplace(holder, id, key, tres.value()).second) return;
    const Qos& qos = policy_.qos[id.index()];
    const std::string& name = policy_.tres.name(tres);
    checks_.add(
        Severity::kWarning, "minimum-out-of-reach",
        fmt::format("{}.{}", path_of(policy_.associations[holder.index()]), key),
        fmt::format("no job below this can run in QoS '{}': it must ask for at least {} of "
                    "{}, {} allows {}",
                    qos.name, print_amount(tres, least), name, key, print_amount(tres, most)),
        fmt::format("{}: {}={}     # or a list of qos without '{}'", key, name,
                    print_amount(tres, least), qos.name));
  }

  Checks& checks_;
  const Policy& policy_;
  std::set<std::tuple<AssocId, QosId, std::string, std::uint8_t>> said_;
};

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
  Minimums(checks).check();
  check_shares(checks);
  check_users(checks);
  check_empty(checks);
}

}  // namespace sluice
