// sluice sim: a workload under a policy, in virtual time.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_sim(Command& root, ExitCode& exit_code);

}  // namespace sluice
