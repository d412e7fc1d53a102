#include "cli/local_time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "text/past_time.h"

namespace sluice {

std::tm local_parts(Instant time) {
  const auto seconds = static_cast<std::time_t>(to_seconds(time));
  std::tm out{};
  ::localtime_r(&seconds, &out);
  return out;
}

Instant now_here() {
  return instant_at(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

UtcOffset local_offset(Instant time) { return {seconds(local_parts(time).tm_gmtoff)}; }

Result<Instant> time_or_age_of(const char* option, const std::string& text, Instant now) {
  auto time = parse_time_or_age(text, now, local_offset(now));
  if (!time) return bad_input(fmt::format("{}: {}", option, time.error().what), time.error().hint);
  return *time;
}

std::string local_time(Instant time, Instant now) {
  const std::tm then = local_parts(time);
  const std::tm today = local_parts(now);
  if (then.tm_year == today.tm_year && then.tm_yday == today.tm_yday)
    return fmt::format("{:%H:%M:%S}", then);
  return then.tm_year == today.tm_year ? fmt::format("{:%b %d %H:%M}", then)
                                       : fmt::format("{:%Y-%m-%d}", then);
}

std::string full_local_time(Instant time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", local_parts(time));
}

}  // namespace sluice
