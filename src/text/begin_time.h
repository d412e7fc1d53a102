// Points in time: "now+1hour", "16:00", "tomorrow", "2026-11-15T09:00:00" as --begin takes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

// Local time minus UTC: 1 h in Berlin's winter. Constant: who needs a change of the clocks in
// between asks the system and passes each its own.
struct UtcOffset {
  Duration ahead{0};
};

// --begin and --deadline: now[±count[seconds|minutes|hours|days|weeks]], HH:MM[:SS] [AM|PM], 4PM,
// midnight, noon, fika, teatime, today, tomorrow, MMDD[YY], MM/DD[/YY], MM.DD[.YY],
// YYYY-MM-DD[THH:MM[:SS]], utsSECONDS, and a date with a time of day. A time of day that has
// passed is tomorrow's, a date without a year that has passed is next year's.
Result<Instant> parse_begin_time(std::string_view text, Instant now, UtcOffset offset = {});

// "2026-11-15T09:00:00".
std::string format_time(Instant time, UtcOffset offset = {});

// What Slurm printed; nothing for "Unknown", "N/A", "None" and "(null)".
Result<std::optional<Instant>> parse_printed_time(std::string_view text, UtcOffset offset = {});

}  // namespace sluice
