// sluice journal: what a journal holds, and whether it is sound.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_journal(Command& root, ExitCode& exit_code);

}  // namespace sluice
