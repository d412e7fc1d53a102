// Slurm's commands: this executable by their names, and `sluice shims` around them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/cli.h"

namespace sluice {

// Where this process was called by the name of one of Slurm's commands: its exit code.
std::optional<int> run_as_shim(int argc, char** argv);

void add_shims(Command& root, ExitCode& exit_code);
std::optional<ExitCode> run_shims(std::span<const std::string> arguments);

// A folder of links to this executable, one for each command; made anew where it is not right.
Result<void> make_shim_links(const std::string& folder, const std::string& program);

}  // namespace sluice
