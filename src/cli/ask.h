// Asks before something is lost for good.
#pragma once

#include <string>

#include "base/result.h"

namespace sluice {

// "QUESTION [y/N] " on the terminal; whether the answer is yes. Where there is no terminal it is an
// error that says to add --yes.
Result<bool> ask_first(const std::string& question);

}  // namespace sluice
