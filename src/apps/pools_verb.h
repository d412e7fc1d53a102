// sluice pools and sluice accounts.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_pools(CLI::App& root, ExitCode& exit_code);
void add_accounts(CLI::App& root, ExitCode& exit_code);

}  // namespace sluice
