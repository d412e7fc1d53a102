// Points in time as sacct takes them, where Slurm's reader of times stops, and for our own options
// also how long ago: "1h".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "text/begin_time.h"

namespace sluice {

// The words of parse_begin_time(); but a time of day is today's and a date without a year is this
// year's, whether they have passed or not.
Result<Instant> parse_past_time(std::string_view text, Instant now, UtcOffset offset);

// Where Slurm's reader stops in what is not a time; nothing where it is one.
std::optional<std::size_t> time_mistake_at(std::string_view text);

// --since and --until of ours: a time of day is the last there was, and so is a date without a
// year; or how long ago: 1h, 30m, 7d, 2h30m; yesterday.
Result<Instant> parse_time_or_age(std::string_view text, Instant now, UtcOffset offset = {});

}  // namespace sluice
