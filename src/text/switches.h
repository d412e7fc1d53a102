// --switches: on how few leaf switches a job wants to be, and how long it waits for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

struct AskedSwitches {
  std::int32_t most = 0;
  std::optional<Duration> wait;  // Nothing: as long as the cluster lets jobs wait.
};

// "1" or "1@10:00".
Result<AskedSwitches> parse_switches(std::string_view text);

}  // namespace sluice
