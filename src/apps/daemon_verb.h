// sluice daemon, and the keeper that it starts.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_daemon(Command& root, ExitCode& exit_code);
// Hidden: the daemon calls it.
void add_keeper(Command& root, ExitCode& exit_code);
std::optional<ExitCode> run_keeper_verb(std::span<const std::string> arguments);

}  // namespace sluice
