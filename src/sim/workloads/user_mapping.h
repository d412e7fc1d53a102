// A workload's users, groups and queues made names of a policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/policy.h"
#include "sim/workloads/mapping_rules.h"
#include "sim/workloads/workload.h"

namespace sluice {

// What the log, or a rule, names and the policy cannot give these jobs: they go under defaults.
struct NameNotThere {
  enum class Kind : std::uint8_t { kAccount, kQos, kPartition };
  Kind kind = Kind::kAccount;
  std::string name;
  std::size_t jobs = 0;
};

struct UserMapping {
  std::size_t matched = 0;  // Users the policy knows by name, or a rule names.
  std::size_t dealt = 0;    // Users that were given the name of one of the policy's.
  std::size_t takers = 0;   // The policy's users they were dealt to.
  // By kind, those of most jobs first. Accounts only of users that keep their name.
  std::vector<NameNotThere> not_there;
};

// Rules come first. Without one, users keep a name that the policy knows; the others are dealt out
// over the policy's users (but root) in order. Each submits to the account the log names where the
// policy has the user in it, and to the user's default account elsewhere; under the QoS and in the
// partition of the log where the policy has them, and under the defaults elsewhere. A policy
// without users leaves users and accounts as they are.
UserMapping map_users(const Policy& policy, Workload& workload, const MappingRules& rules = {});

}  // namespace sluice
