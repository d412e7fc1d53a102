// sluice notify: hooks that are told when jobs and chains end.
#pragma once

#include "cli/cli.h"

namespace sluice {

class Command;

void add_notify(Command& root, ExitCode& exit_code);

}  // namespace sluice
