// The sacctmgr commands that make a policy's QoS, accounts and users out of nothing.
#pragma once

#include <string>
#include <vector>

#include "model/policy.h"

namespace sluice {

using Argv = std::vector<std::string>;

// In a safe order: names of QoS, their limits, whom each may push out, accounts with parents first,
// users, coordinators. The first lines, `sacctmgr -i add qos NAME`, are what slurmctld must find
// when it starts; the others may need TRES that slurmctld registers.
std::vector<Argv> account_commands(const Policy& policy);
// sacctmgr's word for a key of the file. It shows the limits on running minutes under their long
// names but takes only the short ones.
std::string sacctmgr_key(const std::string& key);
// One command as a shell would take it.
std::string shell_quoted(const Argv& argv);

}  // namespace sluice
