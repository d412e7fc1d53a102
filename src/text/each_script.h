// The script of an array whose tasks run a command each, as `sluice each` submits it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

// Tasks are numbered from 1; a command is one line. `directives`: lines of #SBATCH, or "".
std::string each_script(std::span<const std::string> commands, std::string_view directives);

// What a task runs; nothing where the script is another one, or has no such task.
std::optional<std::string> each_command(std::string_view script, std::uint32_t task);

}  // namespace sluice
