// The small notations of a request: licenses, signals, node counts, lists of states.
#include <gtest/gtest.h>

#include "text/job_states.h"
#include "text/licenses.h"
#include "text/node_count.h"
#include "text/signal.h"

namespace sluice {
namespace {

TEST(Licenses, AreNamesWithCounts) {
  EXPECT_EQ(parse_licenses("matlab:2,ansys").value(),
            (LicenseList{{{"matlab", 2}, {"ansys", 1}}, false}));
  EXPECT_EQ(parse_licenses("matlab:1;ansys:1").value(),
            (LicenseList{{{"matlab", 1}, {"ansys", 1}}, false}));
  EXPECT_EQ(parse_licenses("a|b:3").value(), (LicenseList{{{"a", 1}, {"b", 3}}, true}));
  EXPECT_EQ(parse_licenses("nastran@slurmdb:12").value().licenses[0].name, "nastran@slurmdb");
  EXPECT_EQ(format_licenses(parse_licenses("matlab:2,ansys").value()), "matlab:2,ansys:1");
  EXPECT_TRUE(parse_licenses("").value().licenses.empty());
  for (const char* text : {"a:x", "a=2", "a*2", ", a", "a,", ":2", "a|b,c", "a:-1", "a:1:2"})
    EXPECT_FALSE(parse_licenses(text)) << text;
}

TEST(Signal, OptionIsReadAsSbatchReadsIt) {
  struct Case {
    const char* text;
    const char* shown;
  };
  for (const Case& c : {Case{"USR2", "USR2"},
                        {"B:USR2@30", "B:USR2@30"},
                        {"B:USR2", "B:USR2"},
                        {"R:USR1@10", "R:USR1@10"},
                        {"10", "USR1"},
                        {"SIGTERM@5", "TERM@5"},
                        {"sigint", "INT"},
                        {"BR:USR1@3", "RB:USR1@3"},
                        {"1@0", "HUP@0"},
                        {"64", "64"},
                        {"USR2@65535", "USR2@65535"}}) {
    const auto option = parse_signal_option(c.text);
    ASSERT_TRUE(option) << c.text;
    EXPECT_EQ(format_signal_option(*option), c.shown) << c.text;
  }
  EXPECT_EQ(parse_signal_option("USR1").value().signal.before_end, seconds(60));
  for (const char* text :
       {"", "B:", "@30", "USR2@70000", "USR2@-1", "0", "65", "FOO", "B:12@x", "R:B:USR1", "X:USR1"})
    EXPECT_FALSE(parse_signal_option(text)) << text;
}

TEST(NodeCount, IsOneNumberOrARange) {
  EXPECT_EQ(parse_node_count("2").value(), (NodeCount{2, 2}));
  EXPECT_EQ(parse_node_count("2-4").value(), (NodeCount{2, 4}));
  EXPECT_EQ(parse_node_count("2 - 4").value(), (NodeCount{2, 4}));
  EXPECT_EQ(parse_node_count("2k").value(), (NodeCount{2048, 2048}));
  EXPECT_EQ(parse_node_count("-4").value(), (NodeCount{1, 4}));
  EXPECT_EQ(format_node_count({2, 4}), "2-4");
  EXPECT_EQ(format_node_count({2, 2}), "2");
  EXPECT_EQ(parse_node_count("4-2").error().what,
            "Maximum node count 2 is less than minimum node count 4");
  EXPECT_EQ(parse_node_count("x").error().what, "\"x\" is not a valid node count");
  for (const char* text : {"", "0", "2-", "2-x", "2,4", "2:4", "2.5", "2g", "99999999999", "-"})
    EXPECT_FALSE(parse_node_count(text)) << text;
}

TEST(JobStates, AreNamedLongOrShortInAnyCase) {
  const auto list = parse_job_states("R,pending,OOM,CF,r").value();
  EXPECT_EQ(list.states,
            (std::vector{JobState::kRunning, JobState::kPending, JobState::kOutOfMemory}));
  EXPECT_TRUE(list.contains(JobState::kRunning));
  EXPECT_FALSE(list.contains(JobState::kFailed));
  EXPECT_TRUE(parse_job_states("ALL").value().contains(JobState::kFailed));
  EXPECT_FALSE(parse_job_states("R,foo"));
  EXPECT_EQ(parse_job_states("R,foo").error().what, "Invalid job state specified: foo");
  EXPECT_FALSE(parse_job_states(""));
}

}  // namespace
}  // namespace sluice
