// --help and --usage of Slurm's commands, in our words.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Without the last end of line.
std::string shim_help(std::string_view name);
std::string shim_usage(std::string_view name);

}  // namespace sluice
