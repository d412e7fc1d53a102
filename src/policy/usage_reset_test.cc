#include "policy/usage_reset.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Instant at(int year, unsigned month, unsigned day, std::int64_t hour) {
  const std::chrono::sys_days date =
      std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return instant_at(std::chrono::hours(24) * date.time_since_epoch().count() +
                    std::chrono::hours(hour));
}

TEST(UsageReset, IsDueWhereAPeriodBegins) {
  const Instant saturday = at(2022, 12, 31, 23);
  const Instant sunday = at(2023, 1, 1, 0);  // Begins every kind of period.
  const Instant monday = at(2023, 1, 2, 0);
  for (const UsageReset period : {UsageReset::kDaily, UsageReset::kWeekly, UsageReset::kMonthly,
                                  UsageReset::kQuarterly, UsageReset::kYearly})
    EXPECT_TRUE(usage_resets_between(period, saturday, sunday));
  EXPECT_TRUE(usage_resets_between(UsageReset::kDaily, sunday, monday));
  EXPECT_FALSE(usage_resets_between(UsageReset::kWeekly, sunday, monday));
  EXPECT_FALSE(usage_resets_between(UsageReset::kMonthly, sunday, monday));
}

TEST(UsageReset, IsNotDueWithinAPeriod) {
  EXPECT_FALSE(usage_resets_between(UsageReset::kDaily, at(2023, 5, 9, 0), at(2023, 5, 9, 23)));
  EXPECT_FALSE(
      usage_resets_between(UsageReset::kQuarterly, at(2023, 4, 1, 0), at(2023, 6, 30, 23)));
  EXPECT_TRUE(usage_resets_between(UsageReset::kQuarterly, at(2023, 6, 30, 23), at(2023, 7, 1, 0)));
  EXPECT_FALSE(usage_resets_between(UsageReset::kNone, at(2022, 1, 1, 0), at(2024, 1, 1, 0)));
  EXPECT_FALSE(usage_resets_between(UsageReset::kNow, at(2022, 1, 1, 0), at(2024, 1, 1, 0)));
}

}  // namespace
}  // namespace sluice
