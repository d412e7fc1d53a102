// sacctmgr add, modify and delete: another policy in place of the one in force.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shims/sacctmgr_set.h"
#include "shims/shim.h"

namespace sluice {

// A word without '=' is a name; "set" and "where" are left to the caller.
SacctmgrPair read_pair(const std::string& word);

// Without --immediate sacctmgr asks before it changes anything.
enum class AskFirst : std::uint8_t { kNo, kYes };

AdminLevel admin_level_of(std::string_view word);

// Puts the policy in force, and asks before where it is to.
int commit_policy(ShimCall& call, const Policy& policy, AskFirst ask);

// `words` begins with add, modify or delete and what it is about.
int change_accounts(ShimCall& call, const std::vector<std::string>& words, AskFirst ask);

}  // namespace sluice
