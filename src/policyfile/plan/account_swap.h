// From one policy's accounts to another's while slurmctld goes on.
#pragma once

#include <optional>
#include <vector>

#include "policyfile/plan/account_commands.h"

namespace sluice {

// sacctmgr commands, or nothing where something would be left over. QoS of before stay, without
// limits: partitions may name them.
std::optional<std::vector<Argv>> swap_commands(const std::vector<Argv>& before,
                                               const std::vector<Argv>& after);

}  // namespace sluice
