// sluice config show: every setting that a file or the environment makes, and where it comes from.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_config_show(Command& config, ExitCode& exit_code);

}  // namespace sluice
