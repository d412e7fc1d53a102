// The policy's users and associations by name, so that thousands need not be searched.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/policy.h"

namespace sluice {

class PolicyNames {
 public:
  PolicyNames() = default;
  explicit PolicyNames(const Policy& policy) {
    for (std::size_t i = 0; i < policy.users.size(); ++i) users_.emplace(policy.users[i].name, i);
    for (std::size_t i = 0; i < policy.associations.size(); ++i) {
      const Association& a = policy.associations[i];
      if (!a.user.empty())
        associations_[a.user].push_back(
            {a.account, a.partition, AssocId(static_cast<std::uint32_t>(i))});
    }
  }
  std::optional<std::size_t> user(std::string_view name) const {
    auto it = users_.find(name);
    return it == users_.end() ? std::nullopt : std::optional(it->second);
  }
  // As Policy::find_association; the account in any case.
  std::optional<AssocId> association(std::string_view account, std::string_view user,
                                     std::string_view partition) const {
    auto it = associations_.find(user);
    if (it == associations_.end()) return std::nullopt;
    if (const auto found = one_of(it->second, account, partition)) return found;
    for (const Row& row : it->second)
      if (is_same_name(row.account, account)) return one_of(it->second, row.account, partition);
    return std::nullopt;
  }

 private:
  struct Row {
    std::string account;
    std::string partition;
    AssocId id;
  };
  static std::optional<AssocId> one_of(const std::vector<Row>& rows, std::string_view account,
                                       std::string_view partition) {
    std::optional<AssocId> any;
    for (const Row& row : rows) {
      if (row.account != account) continue;
      if (!partition.empty() && row.partition == partition) return row.id;
      if (row.partition.empty() && !any) any = row.id;
    }
    return any;
  }

  std::map<std::string, std::size_t, std::less<>> users_;
  std::map<std::string, std::vector<Row>, std::less<>> associations_;
};

}  // namespace sluice
