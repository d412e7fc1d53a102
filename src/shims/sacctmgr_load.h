// sacctmgr load: a file as sacctmgr dump writes it, put into the policy.
#pragma once

#include <string>
#include <vector>

#include "shims/sacctmgr_change.h"

namespace sluice {

// `words` begins with load. What the file names is added or set; "clean" removes everything else.
int load_accounts(ShimCall& call, const std::vector<std::string>& words, AskFirst ask);

}  // namespace sluice
