// Looking at a chain until it has ended.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cli/cli.h"

namespace sluice {

// One line for every change; exit code 1 where tasks were given up.
Result<ExitCode> wait_for_chain(const std::string& id, Duration every = seconds(30));

}  // namespace sluice
