// Slurm's six forms of a duration, and the units our own files may use.
#include "text/duration.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]] or "
    "UNLIMITED, as in 90, 1:30:00 or 1-12";
constexpr const char* kFriendlyForms =
    "write 30s, 90m, 2h30m, 7d, or Slurm's hours:minutes:seconds, days-hours or UNLIMITED";

constexpr std::int64_t kLongestSeconds = 2147483647;

tl::unexpected<Error> not_a_duration(std::string_view text, const char* hint) {
  return bad_input(fmt::format("{} is not a duration", quoted(text)), hint);
}

tl::unexpected<Error> too_long(std::string_view text) {
  return bad_input(fmt::format("{} is longer than 68 years, the longest duration", quoted(text)),
                   "write UNLIMITED for no limit");
}

bool means_unlimited(std::string_view text) {
  return same_ignoring_case(text, "unlimited") || same_ignoring_case(text, "infinite") ||
         text == "-1";
}

// Adds count × unit, or says that the sum is beyond what a duration may be.
bool add(std::int64_t& total, std::int64_t count, std::int64_t unit, std::int64_t longest) {
  if (count > longest / unit) return false;
  total += count * unit;
  return total <= longest;
}

// "h", "hr", "hours"; nothing for what is no unit.
std::optional<std::int64_t> milliseconds_of_unit(std::string_view name) {
  struct Unit {
    std::string_view letter;
    std::string_view shortened;
    std::string_view word;
    std::int64_t milliseconds;
  };
  static constexpr std::array<Unit, 6> kUnits = {{{"ms", "msec", "millisecond", 1},
                                                  {"s", "sec", "second", 1000},
                                                  {"m", "min", "minute", 60'000},
                                                  {"h", "hr", "hour", 3'600'000},
                                                  {"d", "", "day", 86'400'000},
                                                  {"w", "wk", "week", 604'800'000}}};
  const std::string_view one = name.ends_with('s') ? name.substr(0, name.size() - 1) : name;
  for (const Unit& unit : kUnits)
    if (name == unit.letter || (!one.empty() && (one == unit.shortened || one == unit.word)))
      return unit.milliseconds;
  return std::nullopt;
}

}  // namespace

Result<TimeLimit> parse_duration(std::string_view text) {
  if (means_unlimited(text)) return TimeLimit{};
  std::int64_t total = 0;
  std::string_view clock = text;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto days = whole_number(text.substr(0, dash));
    if (!days) return not_a_duration(text, kForms);
    if (!add(total, *days, 86400, kLongestSeconds)) return too_long(text);
    clock = text.substr(dash + 1);
    // "1-" is a day to Slurm.
    if (clock.empty()) return TimeLimit{seconds(total)};
  }
  const auto parts = split(clock, ':');
  if (parts.size() > 3) return not_a_duration(text, kForms);
  // After days the first part is hours; without, two parts are minutes and seconds, one is minutes.
  static constexpr std::array<std::int64_t, 3> kUnits = {3600, 60, 1};
  const std::size_t first = dash != std::string_view::npos || parts.size() == 3 ? 0 : 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto count = whole_number(parts[i]);
    if (!count) return not_a_duration(text, kForms);
    if (!add(total, *count, kUnits[first + i], kLongestSeconds)) return too_long(text);
  }
  return TimeLimit{seconds(total)};
}

Result<TimeLimit> parse_job_time_limit(std::string_view text) {
  TRY(TimeLimit limit, parse_duration(text));
  if (limit.unlimited() || *limit.duration == Duration(0)) return TimeLimit{};
  return TimeLimit{std::chrono::ceil<std::chrono::minutes>(*limit.duration)};
}

Result<TimeLimit> parse_friendly_duration(std::string_view text) {
  if (text.empty() || text.find_first_of("smhdw") == std::string_view::npos ||
      !is_digit(text.front())) {
    auto limit = parse_duration(text);
    if (!limit) limit.error().hint = kFriendlyForms;
    return limit;
  }
  std::int64_t total = 0;
  std::string_view rest = text;
  std::int64_t previous = 1'000'000'000;  // Larger than the largest unit: any may come first.
  while (!rest.empty()) {
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos)
      return not_a_duration(text, kFriendlyForms);
    const auto count = whole_number(rest.substr(0, digits));
    rest.remove_prefix(digits);
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
    rest.remove_prefix(name.size());
    const auto unit = milliseconds_of_unit(name);
    // "30m2h" or "1h1h" is more likely a slip than a wish.
    if (!unit || *unit >= previous) return not_a_duration(text, kFriendlyForms);
    previous = *unit;
    if (!count || !add(total, *count, *unit, kLongestSeconds * 1000)) return too_long(text);
  }
  return TimeLimit{Duration(total)};
}

std::string format_duration(Duration duration) {
  const std::int64_t s = to_seconds(duration);
  if (s < 0) return "INVALID";  // As Slurm shows a time that ran backwards.
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", s / 3600 % 24, s / 60 % 60, s % 60);
  return s >= 86400 ? fmt::format("{}-{}", s / 86400, clock) : clock;
}

std::string format_time_limit(const TimeLimit& limit) {
  return limit.unlimited() ? "UNLIMITED" : format_duration(*limit.duration);
}

std::string format_short_duration(Duration duration) {
  const std::int64_t s = to_seconds(duration);
  if (s < 0) return "INVALID";
  if (s >= 86400) return format_duration(duration);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string format_short_time_limit(const TimeLimit& limit) {
  return limit.unlimited() ? "UNLIMITED" : format_short_duration(*limit.duration);
}

std::string format_friendly_duration(Duration duration) {
  std::int64_t left = duration.count();
  if (left <= 0) return "0s";
  std::string out;
  struct Unit {
    const char* name;
    std::int64_t milliseconds;
  };
  for (const Unit& unit : {Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000},
                           Unit{"s", 1000}, Unit{"ms", 1}}) {
    if (left >= unit.milliseconds) out += fmt::format("{}{}", left / unit.milliseconds, unit.name);
    left %= unit.milliseconds;
  }
  return out;
}

}  // namespace sluice
