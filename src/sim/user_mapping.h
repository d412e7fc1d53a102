// A workload's users made users of a policy.
#pragma once

#include <cstddef>

#include "model/policy.h"
#include "sim/workload.h"

namespace sluice {

struct UserMapping {
  std::size_t matched = 0;  // Users the policy knows by name.
  std::size_t dealt = 0;    // Users that were given the name of one of the policy's.
  std::size_t takers = 0;   // The policy's users they were dealt to.
};

// Users keep a name that the policy knows; the others are dealt out over the policy's users
// (but root) in order. Each submits to the account the trace names where the policy has the user in
// it, and to the user's default account elsewhere. A policy without users leaves everything as it
// is.
UserMapping map_users(const Policy& policy, Workload& workload);

}  // namespace sluice
