// Questions on the terminal.
#pragma once

#include <string>

#include "base/result.h"

namespace sluice {

// The next line that is typed, without its end; nothing when standard input has ended.
std::string line_of_input();

// True where `yes` was given or a person answers so; bad input where there is no terminal.
Result<bool> confirmed(const char* question, bool yes);

}  // namespace sluice
