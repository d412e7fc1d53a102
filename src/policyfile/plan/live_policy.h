// A live Slurm's policy, as plans compare with it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"
#include "policyfile/plan/slurm_only.h"

namespace sluice {

struct LivePolicy {
  Policy policy;
  // What Slurm has and a policy file has no words for; plan leaves it alone.
  std::vector<std::string> notes;
  std::map<std::string, std::string> organizations;  // By account.
  SlurmOnly slurm_only;                   // What Slurm keeps and the engine does not act on.
  std::set<std::string> account_records;  // Also those that no association uses any more.
  std::set<std::string> user_records;
  std::set<std::string> tracked;  // AccountingStorageTRES
  std::size_t clusters = 1;       // That share the database.
};

// sacctmgr keeps names and descriptions in lower case, and writes ` for '.
std::string slurm_description(std::string_view text);

}  // namespace sluice
