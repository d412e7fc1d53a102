// sluice route, rebalance and why.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_route(CLI::App& root, ExitCode& exit_code);
void add_rebalance(CLI::App& root, ExitCode& exit_code);
void add_slurm_why(CLI::App& root, ExitCode& exit_code);

}  // namespace sluice
