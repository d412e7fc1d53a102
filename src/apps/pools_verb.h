// sluice pools, accounts and config.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_pools(CLI::App& root, ExitCode& exit_code);
void add_accounts(CLI::App& root, ExitCode& exit_code);
void add_config(CLI::App& root, ExitCode& exit_code);

}  // namespace sluice
