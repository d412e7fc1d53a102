// sluice each: one command for each of many inputs, as one array.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/cli.h"

namespace sluice {

void add_each(Command& root, ExitCode& exit_code);
// Takes sbatch's options before the command; nothing where help was asked for.
std::optional<ExitCode> run_each(std::span<const std::string> arguments);

}  // namespace sluice
