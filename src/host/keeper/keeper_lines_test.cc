// Runs that take each other's place, in a real keeper.
#include <gtest/gtest.h>

#include "host/keeper/keeper_for_tests.h"

namespace sluice {
namespace {

RunKey run(std::uint32_t number) { return RunKey{JobId(number), 1}; }

class KeeperLines : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(keeper_.start(), "");
    keeper_.connect();
  }
  void line_up(std::uint32_t number, const std::string& script, std::uint32_t after,
               Duration within = seconds(60)) {
    keeper_.send(LaunchRun{keeper_.job(number, script), run(after), within});
  }
  KeeperForTests keeper_;
};

constexpr const char* kWait = "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.01; done\n";
constexpr const char* kSay = "#!/bin/sh\necho $$\n";

TEST_F(KeeperLines, EachTakesThePlaceOfTheOneBefore) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1);
  line_up(3, kSay, 2);
  ASSERT_TRUE(keeper_.wait_up(run(1)));
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("2.out")));
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).next, run(2));
  EXPECT_EQ(keeper_.end_of(2).next, run(3));
  EXPECT_EQ(keeper_.end_of(3).next, std::nullopt);
  EXPECT_NE(keeper_.output_of(3), "");
}

TEST_F(KeeperLines, WhoComesTooLateIsReturned) {
  keeper_.launch(keeper_.job(1, kSay));
  keeper_.end_of(1);
  line_up(2, kSay, 1);
  EXPECT_TRUE(keeper_.wait_returned(run(2)));
  // It may still be launched like any other.
  keeper_.launch(keeper_.job(2, kSay));
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kCompleted);
}

TEST_F(KeeperLines, NobodyFollowsOneThatIsToldToEnd) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1);
  keeper_.send(EndRun{run(1), seconds(5)});
  EXPECT_TRUE(keeper_.wait_returned(run(2)));
  line_up(3, kSay, 1);
  EXPECT_TRUE(keeper_.wait_returned(run(3)));
  EXPECT_EQ(keeper_.end_of(1).next, std::nullopt);
}

TEST_F(KeeperLines, NobodyWaitsBehindASlowOne) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1, Duration(50));
  line_up(3, kSay, 2, Duration(50));
  EXPECT_TRUE(keeper_.wait_returned(run(2)));
  EXPECT_TRUE(keeper_.wait_returned(run(3)));
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).next, std::nullopt);
}

TEST_F(KeeperLines, OneThatIsToldToEndInLineNeverStarts) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1);
  line_up(3, kSay, 2);
  keeper_.send(EndRun{run(2), seconds(5)});
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).next, run(3));
  EXPECT_EQ(keeper_.end_of(3).outcome.state, JobState::kCompleted);
  keeper_.launch(keeper_.job(2, kSay));
  keeper_.launch(keeper_.job(4, kSay));
  keeper_.end_of(4);
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("2.out")));
}

// The first in line is prepared while the one before it runs: that must leave no trace of it.
TEST_F(KeeperLines, OneThatWasPreparedAndToldToEndNeverStarts) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1);
  line_up(3, kSay, 2);
  // By then its loop came round after the orders above.
  ASSERT_TRUE(keeper_.wait_up(run(1)));
  keeper_.send(EndRun{run(2), seconds(5)});
  line_up(4, kSay, 3);
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).next, run(3));
  EXPECT_EQ(keeper_.end_of(3).next, run(4));
  EXPECT_NE(keeper_.output_of(3), "");
  EXPECT_EQ(keeper_.end_of(4).outcome.state, JobState::kCompleted);
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("2.out")));
}

TEST_F(KeeperLines, OneThatWasPreparedAndReturnedMayBeLaunched) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1, Duration(200));
  EXPECT_TRUE(keeper_.wait_returned(run(2)));
  keeper_.launch(keeper_.job(2, kSay));
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kCompleted);
  EXPECT_NE(keeper_.output_of(2), "");
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).next, std::nullopt);
}

TEST_F(KeeperLines, NobodyIsInLineForADaemonThatIsGone) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1);
  ASSERT_TRUE(keeper_.wait_up(run(1)));
  keeper_.disconnect();
  keeper_.forget_reports();
  keeper_.connect();
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).next, std::nullopt);
  // What it took over before is told again.
  keeper_.disconnect();
  keeper_.forget_reports();
  keeper_.connect();
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
}

TEST_F(KeeperLines, WhoTookOverIsToldToTheNextDaemon) {
  keeper_.launch(keeper_.job(1, kWait));
  line_up(2, kSay, 1);
  std::ofstream(keeper_.path("go")) << "";
  keeper_.end_of(2);
  keeper_.disconnect();
  keeper_.forget_reports();
  keeper_.connect();
  EXPECT_EQ(keeper_.end_of(1).next, run(2));
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kCompleted);
}

}  // namespace
}  // namespace sluice
