// Names first, then everybody else in turn.
#include "sim/user_mapping.h"

#include <map>
#include <string>
#include <string_view>

#include "sim/request_table.h"

namespace sluice {
namespace {

std::string default_account(const Policy& policy, const User& user) {
  if (!user.default_account.empty()) return user.default_account;
  for (const Association& assoc : policy.associations)
    if (assoc.user == user.name) return assoc.account;
  return {};
}

}  // namespace

UserMapping map_users(const Policy& policy, Workload& workload) {
  UserMapping mapping;
  if (policy.users.empty()) return mapping;
  // Nobody's jobs become root's, unless there is nobody else.
  std::vector<UserId> takers;
  for (std::size_t i = 0; i < policy.users.size(); ++i)
    if (policy.users[i].name != "root") takers.emplace_back(static_cast<std::uint32_t>(i));
  if (takers.empty()) takers.emplace_back(0U);
  std::vector<UserId> user_of(workload.users.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < workload.users.size(); ++i) {
    if (const auto known = policy.find_user(workload.users[i])) {
      user_of[i] = *known;
      ++mapping.matched;
    } else {
      user_of[i] = takers[next++ % takers.size()];
      ++mapping.dealt;
    }
  }
  mapping.takers = takers.size();
  const std::vector<WorkRequest> before = std::move(workload.requests);
  const std::vector<std::string> accounts_before = std::move(workload.accounts);
  workload.requests.clear();
  workload.accounts.clear();
  workload.users.clear();
  for (const User& user : policy.users) workload.users.push_back(user.name);
  std::map<std::string, std::uint32_t, std::less<>> accounts;
  const auto account_index = [&](const std::string& name) {
    const auto [at, is_new] =
        accounts.try_emplace(name, static_cast<std::uint32_t>(workload.accounts.size()));
    if (is_new) workload.accounts.push_back(name);
    return at->second;
  };
  // Requests that differed only in users that are one now become one, too.
  RequestTable requests(workload.requests);
  std::vector<std::uint32_t> request_of;
  request_of.reserve(before.size());
  for (WorkRequest request : before) {
    const User& user = policy.users[user_of[request.user].index()];
    request.user = user_of[request.user].value();
    const std::string& wanted = accounts_before[request.account];
    request.account = account_index(
        policy.find_association(wanted, user.name, "") ? wanted : default_account(policy, user));
    request_of.push_back(requests.number_of(request));
  }
  for (WorkItem& item : workload.items) item.request = request_of[item.request];
  return mapping;
}

}  // namespace sluice
