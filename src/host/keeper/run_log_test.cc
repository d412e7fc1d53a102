#include "host/keeper/run_log.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "host/files/folder_for_tests.h"
#include "host/machine/clock.h"

namespace sluice {
namespace {

RunKey run_of(std::uint32_t job) { return RunKey{JobId(job), 1}; }
int exited(int code) { return code << 8; }

RunIsOver over_of(std::uint32_t job, int code) {
  RunIsOver over;
  over.run = run_of(job);
  over.outcome.exit_code = code;
  return over;
}

TEST(RunLog, WhatWasNotedIsReadAgain) {
  FolderForTests folder;
  const std::string path = folder / "runs";
  {
    RunLog log;
    ASSERT_TRUE(log.begin(path, {}));
    log.write(RunBegins{run_of(1), std::nullopt, instant_at(seconds(5))});
    log.write(RunHasProcess{run_of(1), 100});
    log.add(over_of(2, 3));
    log.flush();
  }
  const RunsLeft left = runs_left(RunLog::read(path), boot_id());
  ASSERT_EQ(left.unknown.size(), 1U);
  EXPECT_EQ(left.unknown[0].pid, 100);
  EXPECT_EQ(left.unknown[0].started, instant_at(seconds(5)));
  ASSERT_EQ(left.over.size(), 1U);
  EXPECT_EQ(left.over[0].outcome.exit_code, 3);
}

TEST(RunLog, WhatIsCutOffOrDamagedEndsTheList) {
  FolderForTests folder;
  const std::string path = folder / "runs";
  {
    RunLog log;
    ASSERT_TRUE(log.begin(path, {}));
    log.write(over_of(1, 0));
    log.write(over_of(2, 0));
  }
  const std::string whole = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    EXPECT_LE(RunLog::read(path).size(), 2U) << size;
    std::string wrong = whole;
    wrong[size] = static_cast<char>(wrong[size] ^ 0x40);
    std::ofstream(path, std::ios::binary) << wrong;
    EXPECT_LE(RunLog::read(path).size(), 2U) << size;
  }
}

TEST(RunLog, AnExitStatusIsEnoughForAnEnd) {
  const std::vector<RunNote> notes{LogBegins{"b"},
                                   RunBegins{run_of(1), std::nullopt, {}},
                                   RunHasProcess{run_of(1), 100},
                                   RunBegins{run_of(2), run_of(1), {}},
                                   RunHasProcess{run_of(2), 101},
                                   ProcessEnded{100, exited(4), {}, 7, instant_at(seconds(9))},
                                   ProcessEnded{101, SIGKILL, {}, 0, {}}};
  const RunsLeft left = runs_left(notes, "b");
  ASSERT_EQ(left.over.size(), 1U);
  EXPECT_EQ(left.over[0].run, run_of(1));
  EXPECT_EQ(left.over[0].outcome.exit_code, 4);
  EXPECT_EQ(left.over[0].outcome.state, JobState::kFailed);
  EXPECT_EQ(left.over[0].ended, instant_at(seconds(9)));
  EXPECT_EQ(left.over[0].next, run_of(2));
  // Who was killed may have run out of memory, or was ended with the keeper.
  ASSERT_EQ(left.unknown.size(), 1U);
  EXPECT_EQ(left.unknown[0].run, run_of(2));
}

TEST(RunLog, AProcessWhoseNumberWasNotNotedIsTheLastThatBegan) {
  const std::vector<RunNote> notes{
      LogBegins{"b"}, RunBegins{run_of(1), std::nullopt, {}}, RunHasProcess{run_of(1), 100},
      RunBegins{run_of(2), std::nullopt, {}}, ProcessEnded{555, exited(0), {}, 0, {}}};
  const RunsLeft left = runs_left(notes, "b");
  ASSERT_EQ(left.over.size(), 1U);
  EXPECT_EQ(left.over[0].run, run_of(2));
  EXPECT_EQ(left.unknown.size(), 1U);
}

TEST(RunLog, AProcessThatWasThereBeforeIsNotTheOneThatWasNotNoted) {
  // A prolog of another run, say, that ends in the very moment of the keeper's death.
  const std::vector<RunNote> notes{
      LogBegins{"b"}, RunBegins{run_of(2), std::nullopt, instant_at(seconds(9))},
      ProcessEnded{555, exited(0), {}, 0, instant_at(seconds(10)), instant_at(seconds(8))}};
  const RunsLeft left = runs_left(notes, "b");
  EXPECT_TRUE(left.over.empty());
  ASSERT_EQ(left.unknown.size(), 1U);
  EXPECT_EQ(left.unknown[0].run, run_of(2));
}

TEST(RunLog, ARunWhoseProcessCouldNotBeMadeTakesNoOthersEnd) {
  const std::vector<RunNote> notes{LogBegins{"b"}, RunBegins{run_of(2), std::nullopt, {}},
                                   RunSettled{run_of(2)}, ProcessEnded{555, exited(0), {}, 0, {}}};
  const RunsLeft left = runs_left(notes, "b");
  EXPECT_TRUE(left.over.empty());
  EXPECT_TRUE(left.unknown.empty());
}

TEST(RunLog, ANumberThatIsUsedAgainMeansTheLaterRun) {
  const std::vector<RunNote> notes{LogBegins{"b"},
                                   RunBegins{run_of(1), std::nullopt, {}},
                                   RunHasProcess{run_of(1), 100},
                                   ProcessEnded{100, exited(0), {}, 0, {}},
                                   RunBegins{run_of(2), std::nullopt, {}},
                                   RunHasProcess{run_of(2), 100},
                                   ProcessEnded{100, exited(5), {}, 0, {}}};
  const RunsLeft left = runs_left(notes, "b");
  ASSERT_EQ(left.over.size(), 2U);
  EXPECT_EQ(left.over[0].outcome.exit_code, 0);
  EXPECT_EQ(left.over[1].outcome.exit_code, 5);
}

TEST(RunLog, WhatIsInTheJournalIsForgotten) {
  const std::vector<RunNote> notes{LogBegins{"b"}, over_of(1, 0), over_of(2, 0),
                                   RunSettled{run_of(1)}};
  const RunsLeft left = runs_left(notes, "b");
  ASSERT_EQ(left.over.size(), 1U);
  EXPECT_EQ(left.over[0].run, run_of(2));
}

TEST(RunLog, AfterARebootEndsAreKnownAndTheirTimesAreNot) {
  RunIsOver over = over_of(1, 0);
  over.ended = instant_at(seconds(99));
  const std::vector<RunNote> notes{LogBegins{"b"}, over, RunBegins{run_of(2), std::nullopt, {}},
                                   RunHasProcess{run_of(2), 100}};
  const RunsLeft left = runs_left(notes, "another");
  ASSERT_EQ(left.over.size(), 1U);
  EXPECT_EQ(left.over[0].ended, Instant{});
  EXPECT_TRUE(left.unknown.empty());
}

}  // namespace
}  // namespace sluice
