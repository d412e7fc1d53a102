// Reservations as a person types them, for the daemon: times of this machine get their offset.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice {

// "starttime=16:00" to "starttime=2026-11-18T15:00:00Z"; now+… and what is not a time stay.
Result<std::vector<std::string>> reservation_settings(std::span<const std::string> words);

}  // namespace sluice
