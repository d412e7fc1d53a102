// Shares are fractions of the level above, down the tree.
#include "sim/reports/share_due.h"

#include <vector>

#include "policy/fairshare.h"

namespace sluice {

SharesDue shares_due(std::shared_ptr<const Policy> policy) {
  FairshareTree tree;
  tree.set_policy(policy);
  SharesDue out;
  std::vector<double> norm(tree.size(), 1.0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Association& assoc = policy->associations[i];
    if (tree.parent(i) == FairshareTree::kNone) continue;
    norm[i] = norm[tree.parent(i)] * (tree.uses_parent(i) ? 1.0 : tree.level_share(i));
    if (tree.uses_parent(i)) continue;
    if (assoc.user.empty())
      out.accounts[assoc.account] = norm[i];
    else
      out.users[assoc.user] += norm[i];
  }
  return out;
}

}  // namespace sluice
