// Looking at a chain until it has ended.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cli/cli.h"

namespace sluice {

// A picture on a terminal, else one line for every change; exit code 1 where tasks were given up.
Result<ExitCode> wait_for_chain(const std::string& id,
                                std::optional<Duration> every = std::nullopt);

// The same, of a chain by its id, the beginning of it, or last.
Result<ExitCode> wait_for_named_chain(const std::string& given);

}  // namespace sluice
