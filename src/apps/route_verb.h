// sluice rebalance, and why on Slurm.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_rebalance(Command& root, ExitCode& exit_code);
void add_slurm_why(Command& root, ExitCode& exit_code);

}  // namespace sluice
