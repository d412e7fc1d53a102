// sluice sim: a workload under a policy, in virtual time.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_sim(Command& root, ExitCode& exit_code);
// sim compare A B
void add_sim_compare(Command& sim, ExitCode& exit_code);
// sim tune POLICY
void add_sim_tune(Command& sim, ExitCode& exit_code);
// sim chain
void add_sim_chain(Command& sim, ExitCode& exit_code);

}  // namespace sluice
