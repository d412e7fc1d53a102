// sluice pools, accounts and config.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_pools(Command& root, ExitCode& exit_code);
void add_accounts(Command& root, ExitCode& exit_code);
void add_config(Command& root, ExitCode& exit_code);

}  // namespace sluice
