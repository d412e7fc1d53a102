// Begin times turned around.
#include "text/past_time.h"

#include <algorithm>
#include <chrono>

#include "text/scan.h"
#include "text/typed_duration.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write 1h or 7d (so long ago), 08:00, today, yesterday, 2026-11-15 or 2026-11-15T09:00:00";

// Whether the day of the text moves with the clock: it is a time of day alone.
bool is_time_of_day(std::string_view text) {
  if (text.find_first_of("-/.") != std::string_view::npos) return false;
  if (text.find(':') != std::string_view::npos || !is_digit(text.front())) return true;
  const std::string_view half =
      without_blanks_around(text.substr(text.find_last_of("0123456789") + 1));
  return starts_ignoring_case(half, "am") || starts_ignoring_case(half, "pm");
}

bool says(std::string_view text, std::string_view word) {
  return to_lower(text).find(word) != std::string::npos;
}

Result<Instant> last_there_was(std::string_view text, Instant now, UtcOffset offset) {
  TRY(const Instant time, parse_begin_time(text, now, offset));
  const std::string_view told = without_blanks_around(text);
  if (time <= now || says(told, "now") || says(told, "uts") || says(told, "tomorrow") ||
      says(told, "today"))
    return time;
  if (is_time_of_day(told)) return time - std::chrono::hours(24);
  // A date without a year that has passed was read as next year's: the same one a year before.
  const auto before = parse_begin_time(text, now - std::chrono::hours(24 * 366), offset);
  return before && *before <= now ? *before : time;
}

}  // namespace

Result<Instant> parse_time_or_age(std::string_view text, Instant now, UtcOffset offset) {
  const std::string_view told = without_blanks_around(text);
  if (to_lower(told) == "yesterday") {
    TRY(const Instant today, parse_begin_time("today", now, offset));
    return today - std::chrono::hours(24);
  }
  // With a unit alone: "90" and "1:30" are durations of Slurm's, but no way to say "ago".
  if (const auto age = duration_with_unit(told))
    return instant_at(std::max(Duration(0), now.time_since_epoch() - *age));
  const auto time = last_there_was(told, now, offset);
  if (!time) return bad_input(time.error().what, kForms);
  return *time;
}

}  // namespace sluice
