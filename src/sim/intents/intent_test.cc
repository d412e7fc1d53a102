// Sentences, and the stories that break them.
#include "sim/intents/intent.h"

#include <gtest/gtest.h>

#include "policyfile/read/policy_reader.h"
#include "sim/chains/simulated_target.h"
#include "sim/intents/intent_search.h"
#include "sim/stories/story_parser.h"
#include "sim/stories/story_runner.h"

namespace sluice {
namespace {

std::string shared(const std::string& qos) {
  return "nodes: [{name: \"n[1-2]\", cpus: 16, memory: 64G, gpus: 4}]\n" + qos +
         "accounts:\n"
         "  research: {qos: [high, day], default_qos: high, users: [ann, bob]}\n"
         "  batch: {qos: [low, day], default_qos: low, users: [cat]}\n"
         "preemption: {type: qos, mode: requeue}\n";
}

IntentVerdict search(const std::string& policy, const std::string& sentence,
                     std::uint64_t seed = 1) {
  const auto read = read_policy(policy, "policy.yaml");
  EXPECT_TRUE(read) << read.error().text();
  const auto intent = parse_intent(sentence, *read);
  EXPECT_TRUE(intent) << intent.error().text();
  const auto verdict =
      search_intent(*intent, *read, "policy.yaml",
                    [&](const std::string&) -> Result<std::string> { return policy; }, {seed, 60});
  EXPECT_TRUE(verdict) << verdict.error().text();
  return verdict ? *verdict : IntentVerdict{};
}

std::size_t lines(const std::string& story) {
  return static_cast<std::size_t>(std::count(story.begin(), story.end(), '\n'));
}

const std::string kFair =
    "qos: {high: {Preempt: low}, low: {}, day: {MaxWall: 1d, "
    "MaxTRESPerUser: gres/gpu=2}}\n";
const std::string kGroup =
    "qos: {high: {Preempt: low}, low: {}, day: {MaxWall: 1d, "
    "GrpTRES: gres/gpu=2}}\n";

TEST(Intent, NamesTheSentencesThereAre) {
  const auto policy = read_policy(shared(kFair), "policy.yaml");
  const auto intent = parse_intent("everybody is happy", *policy);
  ASSERT_FALSE(intent);
  EXPECT_NE(intent.error().hint.find("nobody waits longer than 3d"), std::string::npos);
  EXPECT_FALSE(parse_intent("user gpus in nosuch <= 4", *policy));
  EXPECT_FALSE(parse_intent("share of research >= fifty under contention", *policy));
}

TEST(Intent, ACapThatIsThereHolds) {
  const IntentVerdict verdict = search(shared(kFair), "user gpus in day <= 2");
  EXPECT_FALSE(verdict.broken) << verdict.broken->story;
  EXPECT_GT(verdict.stories, 20U);
}

TEST(Intent, ACapThatIsMissingIsBrokenByTwoJobs) {
  const IntentVerdict verdict =
      search(shared("qos: {high: {}, low: {}, day: {}}\n"), "user gpus in day <= 2");
  ASSERT_TRUE(verdict.broken);
  EXPECT_LE(lines(verdict.broken->story), 4U) << verdict.broken->story;
}

TEST(Intent, AGroupLimitIsNoLimitForEach) {
  EXPECT_FALSE(search(shared(kFair), "2 users get 2 gpus each in day").broken);
  const IntentVerdict verdict = search(shared(kGroup), "2 users get 2 gpus each in day");
  ASSERT_TRUE(verdict.broken);
  EXPECT_NE(verdict.broken->happened.find("QOSGrpGRES"), std::string::npos);
}

TEST(Intent, AShareNeedsSomethingThatKeepsIt) {
  const IntentVerdict verdict = search(shared("qos: {high: {}, low: {}, day: {}}\n"),
                                       "share of research >= 50% under contention");
  ASSERT_TRUE(verdict.broken);
  // A filler, and those who wait for it.
  EXPECT_LE(lines(verdict.broken->story), 6U) << verdict.broken->story;
}

TEST(Intent, WhoMayPushOutStartsInTime) {
  EXPECT_FALSE(search(shared(kFair), "high starts within 5m when low fills the cluster").broken);
  EXPECT_TRUE(search(shared("qos: {high: {}, low: {}, day: {}}\n"),
                     "high starts within 5m when low fills the cluster")
                  .broken);
}

TEST(Intent, SomebodyMayWaitForLong) {
  EXPECT_TRUE(search(shared(kFair), "nobody waits longer than 1h").broken);
}

// A job that waits for something else is no proof against a limit.
TEST(Intent, ALimitIsBrokenByWhatRunsAlone) {
  const std::string policy =
      "nodes: [{name: \"n[1-2]\", cpus: 16, memory: 64G, gpus: 4}]\n"
      "qos: {day: {MaxTRESPerUser: gres/gpu=3, MaxJobsPerUser: 2, MaxTRESPerJob: gres/gpu=2}}\n"
      "accounts: {lab: {qos: [day], default_qos: day, users: [ann, bob]}}\n";
  EXPECT_TRUE(search(policy, "user gpus in day <= 3").holds());
  const IntentVerdict broken = search(policy, "user gpus in day <= 2");
  ASSERT_TRUE(broken.broken);
  EXPECT_LE(lines(broken.broken->story), 4U) << broken.broken->story;
}

TEST(Intent, NodesWithoutMemoryAreTriedToo) {
  const std::string policy =
      "nodes: [{name: n1, cpus: 16, gpus: 4}]\nqos: {day: {MaxTRESPerUser: gres/gpu=2}}\n"
      "accounts: {lab: {qos: [day], default_qos: day, users: [ann]}}\n";
  const IntentVerdict verdict = search(policy, "user gpus in day <= 2");
  EXPECT_TRUE(verdict.holds()) << verdict.untried;
  EXPECT_GT(verdict.stories, 5U);
  EXPECT_TRUE(search(policy, "user gpus in day <= 1").broken);
}

TEST(Intent, WhatNobodyCanTryIsNotSaidToHold) {
  const std::string policy =
      "nodes: [{name: n1, cpus: 16, memory: 64G, gpus: 4}]\nqos: {day: {}, night: {}}\n"
      "accounts: {lab: {qos: [day], default_qos: day, users: [ann]}}\n";
  const IntentVerdict verdict = search(policy, "user gpus in night <= 1");
  EXPECT_FALSE(verdict.holds());
  EXPECT_FALSE(verdict.broken);
  EXPECT_FALSE(verdict.untried.empty());
}

// A job that its own limits keep out for ever does not wait for the others.
TEST(Intent, WhoCouldNotStartAnywayProvesNothing) {
  const std::string policy =
      shared("qos: {high: {Preempt: low, MaxTRESPerUser: gres/gpu=2}, low: {}, day: {}}\n");
  EXPECT_TRUE(search(policy, "high starts within 5m when low fills the cluster").holds());
}

TEST(Intent, TheSameSeedFindsTheSameStory) {
  const IntentVerdict once = search(shared(kGroup), "2 users get 2 gpus each in day", 7);
  const IntentVerdict twice = search(shared(kGroup), "2 users get 2 gpus each in day", 7);
  ASSERT_TRUE(once.broken && twice.broken);
  EXPECT_EQ(once.broken->story, twice.broken->story);
}

TEST(Intent, ItsStoryFailsUntilThePolicyIsMended) {
  const IntentVerdict verdict = search(shared(kGroup), "2 users get 2 gpus each in day");
  ASSERT_TRUE(verdict.broken);
  for (const auto& [qos, passes] : {std::pair{kGroup, false}, {kFair, true}}) {
    const auto stories = parse_stories(
        verdict.broken->story, "intent.story",
        [&, text = qos](const std::string&) -> Result<std::string> { return shared(text); });
    ASSERT_TRUE(stories) << stories.error().text();
    SimulatedTarget target;
    const auto run = run_story(stories->front(), target);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->passed(), passes) << verdict.broken->story;
  }
}

}  // namespace
}  // namespace sluice
