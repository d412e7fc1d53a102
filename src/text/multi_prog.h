// The file of `srun --multi-prog`: which task of a step runs which program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// The words of each task's command, from lines such as "0,4-7 program arguments" and "* program".
// In arguments %t is the task and %o its place in the line's list; single quotes and backslashes
// keep what they enclose. `name` is the file's, for errors, which are srun's own lines.
Result<std::vector<std::vector<std::string>>> parse_multi_prog(std::string_view text,
                                                               std::string_view name,
                                                               std::uint32_t tasks);

}  // namespace sluice
