#include "views/viewer.h"

#include <algorithm>
#include <set>

namespace sluice {

Viewer::Viewer(const Policy& policy, const Actor& actor) : policy_(policy), actor_(actor) {
  sees_all_ = actor.is_operator;
  if (sees_all_) return;
  const auto user = policy.find_user(actor.user);
  if (!user) return;
  const User& known = policy.users[user->index()];
  sees_all_ = known.admin_level != AdminLevel::kNone;
  realm_ = policy.accounts_coordinated_by(known);
}

bool Viewer::coordinates(std::string_view account) const {
  return std::find(realm_.begin(), realm_.end(), account) != realm_.end();
}

bool Viewer::sees_job(std::string_view owner, std::string_view account) const {
  return sees_all_jobs() || owner == actor_.user || coordinates(account);
}

bool Viewer::sees_usage(std::string_view user, std::string_view account) const {
  if (sees_all_ || coordinates(account)) return true;
  const PrivateData& hidden = policy_.jobs.private_data;
  if (hidden.usage && user != actor_.user) return false;
  if (hidden.users && !user.empty() && user != actor_.user) return false;
  return !hidden.accounts || !user.empty();
}

bool Viewer::sees_policy() const {
  return sees_all_ || (!policy_.jobs.private_data.users && !policy_.jobs.private_data.accounts);
}

std::vector<bool> Viewer::associations_seen() const {
  const std::vector<Association>& table = policy_.associations;
  std::vector<bool> seen(table.size(), sees_policy());
  if (sees_policy() || table.empty()) return seen;
  for (std::size_t i = table.size(); i-- > 0;) {
    const Association& it = table[i];
    if (it.user == actor_.user || coordinates(it.account)) seen[i] = true;
    if (seen[i] && it.parent) seen[it.parent->index()] = true;
  }
  seen[0] = true;
  if (policy_.jobs.private_data.users) return seen;
  // Only accounts are hidden: who else is in one's own is no secret.
  for (std::size_t i = 0; i < table.size(); ++i)
    if (!table[i].user.empty() && table[i].parent && seen[table[i].parent->index()]) seen[i] = true;
  return seen;
}

Policy policy_seen_by(const Viewer& viewer, const Policy& policy) {
  Policy out = policy;
  if (viewer.sees_policy()) return out;
  const std::vector<bool> seen = viewer.associations_seen();
  std::vector<AssocId> place(seen.size());
  std::set<std::string> accounts;
  std::set<std::string> users{viewer.name()};
  out.associations.clear();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) continue;
    place[i] = AssocId(static_cast<AssocId::rep>(out.associations.size()));
    Association& kept = out.associations.emplace_back(policy.associations[i]);
    // Whatever is seen, what is above it is too.
    if (kept.parent) kept.parent = place[kept.parent->index()];
    accounts.insert(kept.account);
    if (!kept.user.empty()) users.insert(kept.user);
  }
  const auto hidden = [&](const std::string& account) { return !accounts.contains(account); };
  std::erase_if(out.users, [&](const User& it) { return !users.contains(it.name); });
  for (User& it : out.users) {
    // A coordinator sees the associations of others, not what else they may use.
    if (policy.jobs.private_data.users && it.name != viewer.name()) {
      it.admin_level = AdminLevel::kNone;
      it.coordinates.clear();
      it.groups.clear();
    }
    std::erase_if(it.coordinates, hidden);
    if (hidden(it.default_account)) it.default_account.clear();
  }
  for (Partition& it : out.partitions) {
    std::erase_if(it.deny_accounts, hidden);
    if (it.allow_accounts.empty()) continue;
    std::erase_if(it.allow_accounts, hidden);
    // An empty list would let everybody in; root is seen by all.
    if (it.allow_accounts.empty()) it.allow_accounts = {policy.associations.front().account};
  }
  return out;
}

}  // namespace sluice
