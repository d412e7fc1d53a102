// A duration for reading alone.
#pragma once

#include <string>

#include "base/time.h"

namespace sluice {

// "350ms", "4.1s", "2m3s".
std::string format_rough_duration(Duration duration);

}  // namespace sluice
