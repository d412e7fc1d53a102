// The kernel's own time, which cannot be set: it passes while the machine runs or sleeps.
#pragma once

#include <string>

#include "base/time.h"

namespace sluice {

// Since this machine was started.
Instant boot_time();
// What people read off their clocks; may be set to anything at any time.
Instant wall_time();
// Names the time since the last start of the machine; "" where the kernel does not say.
std::string boot_id();

}  // namespace sluice
