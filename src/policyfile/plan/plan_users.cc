// What is not an association: default accounts, admin levels, coordinators.
#include <fmt/format.h>

#include <algorithm>

#include "policyfile/plan/plan_parts.h"

namespace sluice {
namespace {

constexpr const char* kLevels[] = {"None", "Operator", "Administrator"};

struct UserPlan {
  PlanContext& c;

  void step(Argv argv, const std::string& user, std::string says, std::string needs = {}) {
    argv.insert(argv.begin(), {"sacctmgr", "-i"});
    PlanStep& step = c.plan.steps.emplace_back();
    step.argv = std::move(argv);
    step.subjects = {"user " + user};
    step.says = {std::move(says)};
    step.needs = std::move(needs);
  }

  void default_account(const User& wanted, const std::string& now) {
    if (wanted.default_account.empty() || wanted.default_account == now) return;
    step({"modify", "user", "where", "name=" + wanted.name, c.of_cluster(), "set",
          "DefaultAccount=" + wanted.default_account},
         wanted.name,
         fmt::format("user {}: default account {}{}", wanted.name, wanted.default_account,
                     now.empty() ? "" : ", was " + now));
  }

  void admin_level(const User& wanted, AdminLevel now) {
    if (wanted.admin_level == now) return;
    const char* level = kLevels[static_cast<std::size_t>(wanted.admin_level)];
    step({"modify", "user", "where", "name=" + wanted.name, "set",
          fmt::format("AdminLevel={}", level)},
         wanted.name,
         fmt::format("user {}: admin level {}, was {}", wanted.name, level,
                     kLevels[static_cast<std::size_t>(now)]),
         c.options.admin_levels.contains(wanted.name) ? "" : "--admin-level " + wanted.name);
  }

  void coordinators(const User& wanted, const std::vector<std::string>& now) {
    const std::string needs =
        c.options.coordinators.contains(wanted.name) ? "" : "--coordinator " + wanted.name;
    const auto missing = [](const std::vector<std::string>& from,
                            const std::vector<std::string>& in) {
      std::vector<std::string> out;
      for (const std::string& name : from)
        if (std::find(in.begin(), in.end(), name) == in.end()) out.push_back(name);
      return out;
    };
    if (const auto added = missing(wanted.coordinates, now); !added.empty())
      step({"add", "coordinator", fmt::format("accounts={}", fmt::join(added, ",")),
            "names=" + wanted.name},
           wanted.name,
           fmt::format("user {} becomes coordinator of {}", wanted.name, fmt::join(added, ", ")),
           needs);
    if (const auto removed = missing(now, wanted.coordinates); !removed.empty())
      step({"delete", "coordinator", "where", fmt::format("accounts={}", fmt::join(removed, ",")),
            "names=" + wanted.name},
           wanted.name,
           fmt::format("user {} is no longer coordinator of {}", wanted.name,
                       fmt::join(removed, ", ")),
           needs);
  }
};

}  // namespace

void plan_users(PlanContext& context) {
  std::map<std::string, const User*> live;
  for (const User& user : context.live.policy.users) live[user.name] = &user;
  std::map<std::string, std::string> first_account;
  for (const Association& a : context.wanted.associations)
    if (!a.user.empty()) first_account.emplace(a.user, a.account);
  std::set<std::string> here;  // With an account in the live cluster.
  for (const Association& a : context.live.policy.associations)
    if (!a.user.empty()) here.insert(a.user);
  UserPlan plan{context};
  std::set<std::string> wanted;
  for (const User& user : context.wanted.users) {
    wanted.insert(user.name);
    const auto now = live.find(user.name);
    const auto first = first_account.find(user.name);
    // sacctmgr has no users without an account.
    if (first == first_account.end() && now == live.end()) continue;
    static const User kNobody;
    const User& before = now == live.end() ? kNobody : *now->second;
    if (first != first_account.end())
      plan.default_account(user, here.contains(user.name) ? before.default_account : first->second);
    plan.admin_level(user, before.admin_level);
    plan.coordinators(user, before.coordinates);
  }
  for (const User& user : context.live.policy.users) {
    if (wanted.contains(user.name)) continue;
    User gone;
    gone.name = user.name;
    plan.admin_level(gone, user.admin_level);
    plan.coordinators(gone, user.coordinates);
  }
}

}  // namespace sluice
