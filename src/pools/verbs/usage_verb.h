// sluice usage: what accounts, users or QoS used in a period.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_usage(Command& root, ExitCode& exit_code);

}  // namespace sluice
