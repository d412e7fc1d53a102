// sacctmgr add, modify and delete: another policy in place of the one in force.
#pragma once

#include <string>
#include <vector>

#include "shims/shim.h"

namespace sluice {

// "name", "=", "+=" or "-=", and the value.
struct SacctmgrPair {
  std::string name;  // In lower case.
  std::string sign;
  std::string value;
  std::string word;  // As it was typed.
};
// A word without '=' is a name; "set" and "where" are left to the caller.
SacctmgrPair read_pair(const std::string& word);

// `words` begins with add, modify or delete and what it is about.
int change_accounts(ShimCall& call, const std::vector<std::string>& words);

}  // namespace sluice
