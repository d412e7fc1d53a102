// The terminal of sluice top: drawing and keys. The only file that knows curses is its source.
#pragma once

#include "base/result.h"
#include "top/watch.h"

namespace sluice {

struct TopSettings {
  bool colour = true;
};

// Runs until the user leaves.
Result<void> run_top(TopWatch& watch, const TopSettings& settings);

}  // namespace sluice
