// sluice rebalance, and why on Slurm.
#pragma once

#include "cli/cli.h"
#include "cli/elsewhere.h"

namespace sluice {

void add_rebalance(Command& root, ExitCode& exit_code);
Result<ExitCode> why_on_slurm(const WhyQuestion& question);

}  // namespace sluice
