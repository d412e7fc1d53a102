#include "sim/stories/story_runner.h"

#include <gtest/gtest.h>

#include "sim/chains/simulated_target.h"
#include "sim/stories/story_parser.h"
#include "sim/stories/story_report.h"

namespace sluice {
namespace {

struct Told {
  Story story;
  StoryRun run;
};

Told tell(const std::string& steps, const RunOptions& options = {}) {
  auto stories = parse_stories("nodes n[1-2] cpus=4 gpus=2\n" + steps, "t.story");
  EXPECT_TRUE(stories) << stories.error().text();
  if (!stories) return {};
  Told out;
  out.story = stories->front();
  SimulatedTarget target;
  auto run = run_story(out.story, target, options);
  EXPECT_TRUE(run);
  out.run = std::move(*run);
  return out;
}

// What happened instead of the only expectation that was not met.
std::string instead(const std::string& steps) {
  const Told told = tell(steps);
  std::string out;
  for (const CheckedStep& step : told.run.steps)
    for (const CheckedExpectation& one : step.expectations)
      if (!one.met) out += one.happened;
  return out;
}

TEST(StoryRunner, SaysWhatHappenedInstead) {
  EXPECT_EQ(instead("0:00 ann submits A => A waits Resources\n"), "A runs on n1 since 0:00");
  EXPECT_EQ(instead("0:00 ann submits A limit=1:00 => A starts on n2\n"),
            "A runs on n1 since 0:00");
  EXPECT_EQ(instead("0:00 ann submits A limit=1:00\n5:00 => A runs\n"), "A ended TIMEOUT at 1:00");
  EXPECT_EQ(instead("0:00 ann submits A hold => A starts\n"), "A waits JobHeldUser");
  EXPECT_EQ(instead("0:00 ann submits A => A is refused QOSGrpGRES\n"), "it was not refused");
  EXPECT_EQ(instead("0:00 ann submits A => A holds 2 cpus\n"),
            "A holds 1 cpus, 10M memory, 0 gpus");
  EXPECT_EQ(instead("0:00 ann submits A gpus=1 => A holds gpus 1 of n1\n"),
            "A holds 1 cpus, 10M memory, 1 gpus of n1 (gpus 0 of n1)");
  EXPECT_EQ(instead("0:00 ann submits A => n1 has 4 cpus free\n"),
            "n1 has 3 cpus, 2 gpus, 16374M memory free");
  EXPECT_EQ(instead("0:00 ann submits A => nothing runs\n"), "A runs");
  EXPECT_EQ(instead("0:00 ann submits A array=0-9 => 7 of A run\n"), "8 run, 2 wait, 0 ended");
  EXPECT_EQ(instead("0:00 ann submits A => usage of qos normal cpu=2\n"), "the usage is 1");
}

TEST(StoryRunner, FailsAStepThatIsRefusedUnexpectedly) {
  EXPECT_NE(instead("0:00 ann submits A account=nobody\n").find("it was refused"),
            std::string::npos);
  EXPECT_EQ(instead("0:00 ann submits A\n0:01 bob cancels A => refused \"denied\"\n"), "");
}

TEST(StoryRunner, ShowsTheNumbersBehindALimit) {
  EXPECT_EQ(instead("qos q GrpTRES=cpu=2\n"
                    "0:00 ann submits A cpus=2 qos=q\n"
                    "0:01 bob submits B qos=q => B starts\n"),
            "B waits QOSGrpCpuLimit (GrpTRES cpu of qos q: limit 2, used 2, asked 1; held by A of "
            "ann)");
}

TEST(StoryRunner, ShowsTheGatesOfAJobThatWaits) {
  RunOptions options;
  options.gates_of = "B";
  const Told told = tell(
      "qos q GrpTRES=cpu=2 MaxWall=1h\n"
      "0:00 ann submits A cpus=2 qos=q limit=10:00\n"
      "0:01 bob submits B qos=q limit=10:00 => B waits QOSGrpCpuLimit\n",
      options);
  EXPECT_TRUE(told.run.passed());
  const std::string text = gates_text(told.run, Colour::kNo);
  EXPECT_NE(text.find("gates of B at 0:01"), std::string::npos) << text;
  EXPECT_NE(text.find("open  MaxWall of qos q"), std::string::npos) << text;
  EXPECT_NE(text.find("SHUT  GrpTRES cpu of qos q: limit 2, used 2, asked 1"), std::string::npos)
      << text;
}

TEST(StoryRunner, TellsTheStoryAsATimeline) {
  const Told told = tell("0:00 ann submits A limit=1:00 => A starts\n2:00 => A ended TIMEOUT\n");
  const std::string text = timeline_text(told.story, told.run, Colour::kNo);
  EXPECT_NE(text.find("▸ A starts on n1"), std::string::npos) << text;
  EXPECT_NE(text.find("1:00  ▸ A ends TIMEOUT"), std::string::npos) << text;
  EXPECT_NE(text.find("the queue is empty"), std::string::npos) << text;
}

}  // namespace
}  // namespace sluice
