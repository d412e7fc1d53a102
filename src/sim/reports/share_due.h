// What each account and user is due by the policy's shares.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/policy.h"

namespace sluice {

// From 0 to 1, as sshare's NormShares; a user's is the sum over the user's accounts. Names without
// shares of their own (FairShare=parent) are not in it.
struct SharesDue {
  std::map<std::string, double, std::less<>> accounts;
  std::map<std::string, double, std::less<>> users;
};
SharesDue shares_due(std::shared_ptr<const Policy> policy);

}  // namespace sluice
