// Durations in each of Slurm's forms, and in ours.
#include "text/duration.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Duration, IsReadAsSlurmReadsIt) {
  struct Case {
    const char* text;
    std::int64_t seconds;
  };
  for (const Case& c : {Case{"90", 5400},
                        {"1:30", 90},
                        {"1:00:00", 3600},
                        {"1-00", 86400},
                        {"1-00:00", 86400},
                        {"1-00:00:00", 86400},
                        {"0", 0},
                        {"60:60", 3660},
                        {"1:99:99", 9639},
                        {"0-25", 90000},
                        {"1-", 86400},
                        {"1-0:0:1", 86401},
                        {"400-00", 34560000},
                        {"01", 60}}) {
    const auto limit = parse_duration(c.text);
    ASSERT_TRUE(limit) << c.text;
    EXPECT_EQ(limit->duration, seconds(c.seconds)) << c.text;
  }
  for (const char* text : {"UNLIMITED", "unlimited", "INFINITE", "Infinite", "-1"})
    EXPECT_TRUE(parse_duration(text).value().unlimited()) << text;
}

TEST(Duration, RefusalsNameTheTextAndTheForms) {
  for (const char* text : {"",
                           "abc",
                           "1:",
                           "1::",
                           "::1",
                           " 5",
                           "5 ",
                           "1.5",
                           "+5",
                           "-5",
                           "1:1:1:1",
                           "1-1:1:1:1",
                           "1-1-1",
                           "INF",
                           "1d",
                           "1\n",
                           "UNLIMITEDx",
                           "-1:00",
                           "--1",
                           "99999999999999999999",
                           "35791395",
                           "24856-00",
                           "24855-03:14:08"}) {
    const auto limit = parse_duration(text);
    ASSERT_FALSE(limit) << text;
    EXPECT_FALSE(limit.error().hint.empty()) << text;
  }
  EXPECT_EQ(parse_duration("abc").error().what, "'abc' is not a duration");
}

TEST(Duration, OfAJobIsRoundedUpToMinutesAndZeroIsUnlimited) {
  EXPECT_EQ(parse_job_time_limit("1:30").value().duration, minutes(2));
  EXPECT_EQ(parse_job_time_limit("0:00:01").value().duration, minutes(1));
  EXPECT_EQ(parse_job_time_limit("2:00").value().duration, minutes(2));
  EXPECT_TRUE(parse_job_time_limit("0").value().unlimited());
  EXPECT_TRUE(parse_job_time_limit("UNLIMITED").value().unlimited());
}

TEST(Duration, MayHaveUnitsInOurOwnFiles) {
  EXPECT_EQ(parse_friendly_duration("30s").value().duration, seconds(30));
  EXPECT_EQ(parse_friendly_duration("1h").value().duration, minutes(60));
  EXPECT_EQ(parse_friendly_duration("2h30m").value().duration, minutes(150));
  EXPECT_EQ(parse_friendly_duration("7d").value().duration, minutes(7 * 1440));
  EXPECT_EQ(parse_friendly_duration("2w").value().duration, minutes(14 * 1440));
  EXPECT_EQ(parse_friendly_duration("500ms").value().duration, Duration(500));
  EXPECT_EQ(parse_friendly_duration("1-00").value().duration, minutes(1440));
  EXPECT_TRUE(parse_friendly_duration("unlimited").value().unlimited());
  for (const char* text : {"1x", "h", "30m2h", "1h1h", "1h30", "1.5h", "", "1 h", "99999999w"})
    EXPECT_FALSE(parse_friendly_duration(text)) << text;
}

TEST(Duration, IsPrintedAsScontrolPrintsLimits) {
  EXPECT_EQ(format_time_limit({}), "UNLIMITED");
  EXPECT_EQ(format_duration(seconds(0)), "00:00:00");
  EXPECT_EQ(format_duration(minutes(60)), "01:00:00");
  EXPECT_EQ(format_duration(minutes(1440)), "1-00:00:00");
  EXPECT_EQ(format_duration(seconds(93784)), "1-02:03:04");
  EXPECT_EQ(format_duration(seconds(-1)), "INVALID");
}

TEST(Duration, IsPrintedAsSqueuePrintsTimes) {
  EXPECT_EQ(format_short_duration(seconds(0)), "0:00");
  EXPECT_EQ(format_short_duration(seconds(328)), "5:28");
  EXPECT_EQ(format_short_duration(minutes(60)), "1:00:00");
  EXPECT_EQ(format_short_duration(seconds(93784)), "1-02:03:04");
  EXPECT_EQ(format_short_time_limit({}), "UNLIMITED");
}

TEST(Duration, IsPrintedWithUnitsForPeople) {
  EXPECT_EQ(format_friendly_duration(minutes(150)), "2h30m");
  EXPECT_EQ(format_friendly_duration(Duration(1500)), "1s500ms");
  EXPECT_EQ(format_friendly_duration(seconds(0)), "0s");
}

}  // namespace
}  // namespace sluice
