// sluice top: the cluster in a terminal, live.
#pragma once

#include "cli/cli.h"

namespace sluice {

class Command;

void add_top(Command& root, ExitCode& exit_code);

}  // namespace sluice
