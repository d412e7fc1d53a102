// Begin times as sbatch reads them on Sunday 2026-11-15 at 09:16:08.
#include "text/begin_time.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr Instant kNow = instant_at(seconds(1794734168));

std::string read(std::string_view text, UtcOffset offset = {}) {
  const auto time = parse_begin_time(text, kNow, offset);
  return time ? format_time(*time, offset) : "refused";
}

TEST(BeginTime, IsReadAsSbatchReadsIt) {
  struct Case {
    const char* text;
    const char* time;
  };
  for (const Case& c : {Case{"now", "2026-11-15T09:16:08"},
                        {"now+60", "2026-11-15T09:17:08"},
                        {"now+1hour", "2026-11-15T10:16:08"},
                        {"now + 5", "2026-11-15T09:16:13"},
                        {"now+5 minutes", "2026-11-15T09:21:08"},
                        {"now-1hour", "2026-11-15T08:16:08"},
                        {"now+3days", "2026-11-18T09:16:08"},
                        {"now+1week", "2026-11-22T09:16:08"},
                        {"NOW", "2026-11-15T09:16:08"},
                        {"16:00", "2026-11-15T16:00:00"},
                        {"16:00:30", "2026-11-15T16:00:30"},
                        {"8:05", "2026-11-16T08:05:00"},
                        {"4:30PM", "2026-11-15T16:30:00"},
                        {"4:30 pm", "2026-11-15T16:30:00"},
                        {"12:30AM", "2026-11-16T00:30:00"},
                        {"noon", "2026-11-15T12:00:00"},
                        {"midnight", "2026-11-16T00:00:00"},
                        {"teatime", "2026-11-15T16:00:00"},
                        {"fika", "2026-11-15T15:00:00"},
                        {"today", "2026-11-15T00:00:00"},
                        {"tomorrow", "2026-11-16T00:00:00"},
                        {"noon tomorrow", "2026-11-16T12:00:00"},
                        {"16:00 tomorrow", "2026-11-16T16:00:00"},
                        {"00:00 today", "2026-11-15T00:00:00"},
                        {"2010-01-20", "2010-01-20T00:00:00"},
                        {"2030-01-20T12:34:00", "2030-01-20T12:34:00"},
                        {"2030-01-20T12:34", "2030-01-20T12:34:00"},
                        {"2030-01-20 12:34", "2030-01-20T12:34:00"},
                        {"01/20/30", "2030-01-20T00:00:00"},
                        {"01/20", "2027-01-20T00:00:00"},
                        {"12/20", "2026-12-20T00:00:00"},
                        {"1220", "2026-12-20T00:00:00"},
                        {"012030", "2030-01-20T00:00:00"},
                        {"01.20.30", "2030-01-20T00:00:00"},
                        {"01/20/30-16:00", "2030-01-20T16:00:00"},
                        {"16:00 12/20", "2026-12-20T16:00:00"},
                        {"11/15", "2027-11-15T00:00:00"},
                        {"uts1234567890", "2009-02-13T23:31:30"}})
    EXPECT_EQ(read(c.text), c.time) << c.text;
}

TEST(BeginTime, MayBeAnHourWithAmOrPm) {
  EXPECT_EQ(read("4PM"), "2026-11-15T16:00:00");
  EXPECT_EQ(read("12AM"), "2026-11-16T00:00:00");
  EXPECT_EQ(read("12pm"), "2026-11-15T12:00:00");
}

TEST(BeginTime, RefusalsNameTheTextAndThePlace) {
  for (const char* text : {"",
                           "garbage",
                           "now+",
                           "nowx",
                           "now+1h",
                           "now+1month",
                           "24:00",
                           "23:60",
                           "13PM",
                           "monday",
                           "9",
                           "16:",
                           "16:0",
                           "8:5",
                           "16:00:61",
                           "2030-13-01",
                           "2030-02-30",
                           "2030-1-2",
                           "01/20/2030",
                           "2030-01-20T24:00:00",
                           "noon+1hour",
                           "noon 16:00",
                           "today tomorrow",
                           "2030-01-20T12:34:00Z",
                           "now+99999999999999",
                           "02/29"})
    EXPECT_EQ(read(text), "refused") << text;
  EXPECT_EQ(parse_begin_time("garbage", kNow).error().what,
            "'garbage' is not a time (at character 1)");
}

TEST(BeginTime, FollowsTheLocalClock) {
  const UtcOffset tokyo{minutes(9 * 60)};
  EXPECT_EQ(format_time(kNow, tokyo), "2026-11-15T18:16:08");
  EXPECT_EQ(read("16:00", tokyo), "2026-11-16T16:00:00");
  EXPECT_EQ(parse_begin_time("2030-01-20T09:00:00", kNow, tokyo).value(),
            parse_begin_time("2030-01-20T00:00:00", kNow).value());
}

TEST(PrintedTime, MayBeUnknown) {
  EXPECT_EQ(parse_printed_time("Unknown").value(), std::nullopt);
  EXPECT_EQ(parse_printed_time("N/A").value(), std::nullopt);
  EXPECT_EQ(format_time(parse_printed_time("2026-11-15T09:16:08").value().value()),
            "2026-11-15T09:16:08");
  EXPECT_FALSE(parse_printed_time("now"));
}

}  // namespace
}  // namespace sluice
