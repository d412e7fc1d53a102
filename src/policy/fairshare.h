// What each user association may still expect, from shares and past usage.
#pragma once

#include <vector>

#include "state/state.h"

namespace sluice {

struct FairshareRow {
  double norm_shares = 0;      // sshare's NormShares
  double norm_usage = 0;       // NormUsage
  double effective_usage = 0;  // EffectvUsage
  double level_fs = 0;         // LevelFS (Fair Tree); infinity where nothing was used
  double factor = 0;           // FairShare, 0 to 1; of user associations
};

// One row for each association of the policy, in its order.
struct Fairshare {
  std::vector<FairshareRow> rows;
};

// Fair Tree, or the classic formula where the policy says so. Reuses `out`'s memory.
void compute_fairshare(const State& state, Fairshare& out);

}  // namespace sluice
