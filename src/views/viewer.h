// Whose things somebody sees: Slurm's PrivateData, one question each.
#pragma once

#include <string_view>

#include "engine/command.h"
#include "model/policy.h"

namespace sluice {

// Good for one call: policy and actor must outlive it. Everybody sees their own, operators see all,
// and a coordinator sees what belongs to the account.
class Viewer {
 public:
  Viewer(const Policy& policy, const Actor& actor);

  bool sees_all() const { return sees_all_; }
  bool sees_job(std::string_view owner, std::string_view account) const;
  // Of an association: of an account itself where it has no user.
  bool sees_usage(std::string_view user, std::string_view account) const;
  // The whole tree of accounts and users.
  bool sees_policy() const;

 private:
  bool coordinates(std::string_view account) const;
  const Policy& policy_;
  const Actor& actor_;
  const User* known_ = nullptr;
  bool sees_all_ = false;
};

}  // namespace sluice
