#include "text/rough_duration.h"

#include <fmt/format.h>

#include "text/duration.h"

namespace sluice {

std::string format_rough_duration(Duration duration) {
  constexpr std::int64_t kSecond = 1000;
  constexpr std::int64_t kTenth = 100;
  const std::int64_t left = duration.count();
  if (left < kSecond) return format_friendly_duration(duration);
  if (left >= 10 * kSecond) return format_friendly_duration(Duration(left / kSecond * kSecond));
  return fmt::format("{}.{}s", left / kSecond, left % kSecond / kTenth);
}

}  // namespace sluice
