// The number of the period that an instant lies in.
#include "policy/usage_reset.h"

#include <chrono>

namespace sluice {
namespace {

std::int64_t period_of(UsageReset period, Instant at) {
  using std::chrono::floor;
  const auto day =
      floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(to_seconds(at))));
  const std::int64_t number = day.time_since_epoch().count();
  const std::chrono::year_month_day date(day);
  const std::int64_t month =
      std::int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month()) - 1;
  switch (period) {
    case UsageReset::kNone:
    case UsageReset::kNow:
      return 0;
    case UsageReset::kDaily:
      return number;
    case UsageReset::kWeekly:
      return floor<std::chrono::weeks>(std::chrono::days(number + 4)).count();  // A Thursday is 0.
    case UsageReset::kMonthly:
      return month;
    case UsageReset::kQuarterly:
      return month / 3;
    case UsageReset::kYearly:
      return static_cast<int>(date.year());
  }
  return 0;
}

}  // namespace

bool usage_resets_between(UsageReset period, Instant after, Instant until) {
  return period_of(period, after) < period_of(period, until);
}

}  // namespace sluice
