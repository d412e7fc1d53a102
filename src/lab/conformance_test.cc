// What is compared of two tellings of a story, without a Slurm.
#include "lab/conformance.h"

#include <gtest/gtest.h>

#include "lab/slurm_target.h"
#include "sim/stories/story_parser.h"

namespace sluice {
namespace {

std::vector<Story> stories(const std::string& text) {
  auto read = parse_stories(text, "a.story");
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : std::vector<Story>{};
}

SeenJob job(const std::string& name, JobState state, const std::string& reason = "") {
  SeenJob out;
  out.name = name;
  out.state = state;
  out.reason = reason;
  return out;
}

constexpr const char* kPlain =
    "nodes n1 cpus=4\n"
    "0:00 ann submits A cpus=4 limit=10:00 => A starts\n";

TEST(QuietDifferences, AJobThatRunsOnOneSideOnlyIsNamed) {
  const Story story = stories(kPlain).front();
  const auto found = quiet_differences(story, {job("A", JobState::kRunning)},
                                       {job("A", JobState::kPending, "Resources")});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().job, "A");
  EXPECT_EQ(found.front().simulated, "runs");
  EXPECT_EQ(found.front().slurm, "waits");
}

TEST(QuietDifferences, ReasonsCountOnlyWhereTheStoryAsksForThem) {
  Story story = stories(kPlain).front();
  const std::vector<SeenJob> ours = {job("A", JobState::kPending, "Priority")};
  const std::vector<SeenJob> theirs = {job("A", JobState::kPending, "Resources")};
  EXPECT_TRUE(quiet_differences(story, ours, theirs).empty());
  story.tags.push_back("same-reasons");
  ASSERT_EQ(quiet_differences(story, ours, theirs).size(), 1U);
  // slurmctld has not looked at it yet.
  EXPECT_TRUE(quiet_differences(story, ours, {job("A", JobState::kPending, "None")}).empty());
}

TEST(Conformance, StoriesOfOnePolicyComeOneAfterTheOther) {
  const auto one = stories(kPlain);
  const auto other = stories("nodes n[1-2] cpus=8\n0:00 ann submits A cpus=4 => A starts\n");
  const std::vector<Story> all = {one.front(), other.front(), one.front()};
  const Conformance conformance(all);
  ASSERT_EQ(conformance.order().size(), 3U);
  EXPECT_EQ(conformance.order()[0], &all[0]);
  EXPECT_EQ(conformance.order()[1], &all[2]);
  EXPECT_EQ(conformance.order()[2], &all[1]);
}

TEST(Conformance, TheLabGetsThePolicyAsSlurmsOwnSettings) {
  const LabPolicy policy = lab_policy(stories(kPlain).front());
  EXPECT_NE(policy.conf.find("NodeName=n1"), std::string::npos);
  ASSERT_FALSE(policy.accounts.empty());
  EXPECT_EQ(policy.accounts.front().front(), "sacctmgr");
}

TEST(Conformance, ADifferenceShowsBothSides) {
  const Story story = stories(kPlain).front();
  ComparedStory compared;
  compared.story = &story;
  compared.simulated_passed = compared.slurm_passed = true;
  EXPECT_TRUE(compared.equal());
  compared.differences.push_back({2, "0:00  ann submits A", "A starts", "as expected", "A waits"});
  EXPECT_FALSE(compared.equal());
  const std::string text = compared_text(compared, Colour::kNo);
  EXPECT_NE(text.find("expected  A starts"), std::string::npos);
  EXPECT_NE(text.find("Slurm     A waits"), std::string::npos);
}

}  // namespace
}  // namespace sluice
