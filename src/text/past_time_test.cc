// Times of the past on Sunday 2026-11-15 at 09:16:08.
#include "text/past_time.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr Instant kNow = instant_at(seconds(1794734168));

TEST(PastTime, OfThePastIsTheLastThereWas) {
  struct Case {
    const char* text;
    const char* time;
  };
  for (const Case& c : {Case{"8:05", "2026-11-15T08:05:00"},
                        {"16:00", "2026-11-14T16:00:00"},
                        {"noon", "2026-11-14T12:00:00"},
                        {"4 pm", "2026-11-14T16:00:00"},
                        {"1224", "2025-12-24T00:00:00"},
                        {"midnight", "2026-11-15T00:00:00"},
                        {"today", "2026-11-15T00:00:00"},
                        {"11/10", "2026-11-10T00:00:00"},
                        {"12/24", "2025-12-24T00:00:00"},
                        {"now-2days", "2026-11-13T09:16:08"},
                        {"2026-11-01", "2026-11-01T00:00:00"}}) {
    const auto time = parse_time_or_age(c.text, kNow);
    ASSERT_TRUE(time) << c.text;
    EXPECT_EQ(format_time(*time), c.time) << c.text;
  }
  EXPECT_FALSE(parse_past_time("1h", kNow, {})) << "sacct does not take it";
}

TEST(PastTime, MayBeSaidByHowLongAgoItWas) {
  struct Case {
    const char* text;
    const char* time;
  };
  for (const Case& c : {Case{"1h", "2026-11-15T08:16:08"},
                        {"30m", "2026-11-15T08:46:08"},
                        {"90s", "2026-11-15T09:14:38"},
                        {"7d", "2026-11-08T09:16:08"},
                        {"2w", "2026-11-01T09:16:08"},
                        {"2h30m", "2026-11-15T06:46:08"},
                        {"30min", "2026-11-15T08:46:08"},
                        {"2days", "2026-11-13T09:16:08"},
                        {"8am", "2026-11-15T08:00:00"},
                        {" 1h ", "2026-11-15T08:16:08"},
                        {"22000d", "1970-01-01T00:00:00"},
                        {"yesterday", "2026-11-14T00:00:00"},
                        {"8:05", "2026-11-15T08:05:00"},
                        {"now", "2026-11-15T09:16:08"},
                        {"2026-11-01", "2026-11-01T00:00:00"}}) {
    const auto time = parse_time_or_age(c.text, kNow);
    ASSERT_TRUE(time) << c.text;
    EXPECT_EQ(format_time(*time), c.time) << c.text;
  }
  for (const char* text : {"", "h", "1x", "-1h", "30m2h", "soon"})
    EXPECT_FALSE(parse_time_or_age(text, kNow)) << text;
  EXPECT_NE(parse_time_or_age("soon", kNow).error().hint.find("1h"), std::string::npos);
}

}  // namespace
}  // namespace sluice
