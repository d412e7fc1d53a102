// Points in time that have passed: "08:00", "2026-11-15" as sacct takes them, and "1h" for an hour
// ago.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "text/begin_time.h"

namespace sluice {

// As parse_begin_time, of the past: a time of day is the last there was, and so is a date without a
// year.
Result<Instant> parse_past_time(std::string_view text, Instant now, UtcOffset offset = {});

// --since and --until: that, or how long ago: 1h, 30m, 7d, 2h30m; yesterday.
Result<Instant> parse_time_or_age(std::string_view text, Instant now, UtcOffset offset = {});

}  // namespace sluice
