// A task of one's own that completed: what it held, and how long.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sluice {

struct PastRun {
  std::int64_t gpus = 0;
  Duration time{0};
  friend bool operator==(const PastRun&, const PastRun&) = default;
};

}  // namespace sluice
