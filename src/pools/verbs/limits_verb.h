// sluice limits, qos and partitions: what one may use, of this machine or of a Slurm.
#pragma once

#include "cli/cli.h"
#include "cli/name_filters.h"

namespace sluice {

// Of the policy there, as far as one may see it.
Result<KnownNames> known_names(const std::string& engine);

void add_limits(Command& root, ExitCode& exit_code);
void add_qos(Command& root, ExitCode& exit_code);
void add_partitions(Command& root, ExitCode& exit_code);

}  // namespace sluice
