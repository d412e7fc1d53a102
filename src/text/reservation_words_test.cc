#include "text/reservation_words.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::optional<Duration> after(std::string_view text) {
  const auto moment = parse_reservation_time(text);
  return moment ? moment->after : std::nullopt;
}

std::optional<Instant> at(std::string_view text) {
  const auto moment = parse_reservation_time(text);
  return moment ? moment->at : std::nullopt;
}

TEST(ReservationWords, TimesAreRelativeOrHaveAnOffset) {
  EXPECT_EQ(after("now"), Duration(0));
  EXPECT_EQ(after("now+10minutes"), minutes(10));
  EXPECT_EQ(after("now+90"), seconds(90));
  EXPECT_EQ(after("now+2h"), minutes(120));
  EXPECT_EQ(after("now+20:00"), minutes(20));
  EXPECT_EQ(at("1970-01-02T00:00Z"), Instant(std::chrono::hours(24)));
  EXPECT_EQ(at("1970-01-02T01:30+01:00"), Instant(minutes(24 * 60 + 30)));
  EXPECT_EQ(at("1970-01-02T00:00:05Z"), Instant(std::chrono::hours(24)) + seconds(5));
  for (const char* wrong : {"1970-01-02T00:00", "16:00", "", "now+", "now+x", "+01:00", "Z",
                            "1970-01-02T00:00+99:00", "tomorrow"})
    EXPECT_FALSE(parse_reservation_time(wrong)) << wrong;
}

TEST(ReservationWords, TimesAreWrittenAsTheyAreRead) {
  EXPECT_EQ(format_reservation_time(std::nullopt, minutes(90)), "now+1h30m");
  EXPECT_EQ(format_reservation_time(Instant(std::chrono::hours(24)), std::nullopt),
            "1970-01-02T00:00:00Z");
}

TEST(ReservationWords, KeysAreScontrols) {
  ReservationRequest request;
  const auto read = [&](std::string_view key, std::string_view value) {
    return read_reservation_word(key, value, parse_reservation_time, request).has_value();
  };
  EXPECT_TRUE(read("StartTime", "now+1hour"));
  EXPECT_TRUE(read("duration", "30"));
  EXPECT_TRUE(read("Nodes", "n[1-2]"));
  EXPECT_TRUE(read("users", "-ann,-bob"));
  EXPECT_TRUE(read("flags", "maint,Ignore_Jobs,DAILY,SPEC_NODES"));
  EXPECT_EQ(request.start_in, minutes(60));
  EXPECT_EQ(request.duration, minutes(30));
  EXPECT_EQ(request.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(flag_words(request.flags, request.repeat),
            (std::vector<std::string>{"MAINT", "IGNORE_JOBS", "DAILY"}));
  EXPECT_FALSE(read("corecnt", "2"));
  EXPECT_FALSE(read("nodecnt", "0"));
  EXPECT_FALSE(read("duration", "0"));
  EXPECT_FALSE(read("flags", "WEEKLY"));  // It is daily already.
  EXPECT_FALSE(read("flags", "REPLACE"));
  EXPECT_FALSE(read("flags", "nonsense"));
}

}  // namespace
}  // namespace sluice
