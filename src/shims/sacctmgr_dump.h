// sacctmgr dump: accounts and users as sacctmgr load takes them.
#pragma once

#include <string>
#include <vector>

#include "shims/shim.h"

namespace sluice {

// "dump CLUSTER [file=NAME]"; to the file named after the cluster where none is named.
int dump_accounts(ShimCall& call, const std::vector<std::string>& words);

}  // namespace sluice
