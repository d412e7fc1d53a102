// Chains in real files, read back, refused, and fought over by real processes.
#include "ledger/ledger.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ledger/lease.h"
#include "text/array_spec.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

class LedgerTest : public testing::Test {
 protected:
  LedgerTest() {
    std::string name = (fs::temp_directory_path() / "sluice-ledger-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    chain_folder = folder + "/c1";
  }
  ~LedgerTest() override { fs::remove_all(folder); }

  static Chain some_chain() {
    Ladder ladder;
    ladder.levels.push_back({{"day"}, MemoryRequest{MemoryPer::kNode, 1000}, minutes(1), "l:1"});
    ladder.levels.push_back({{"week"}, MemoryRequest{MemoryPer::kNode, 2000}, minutes(2), "l:2"});
    ladder.handling.stderr_rules.push_back({"CUDA", Remedy::kMoreMemory});
    ladder.handling.exit_codes[42] = Remedy::kAgain;
    JobSpec spec;
    spec.name = "x";
    spec.launch.script = "#!/bin/sh\necho 'a  b'\n";
    spec.launch.arguments = {"two words", "a'quote\"", "line\nbreak", ""};
    spec.launch.environment = {{"A", "1,2"}};
    Chain chain = make_chain("c1", Instant(seconds(1000)), spec, ladder,
                             parse_array_spec("0-99%7").value(), Rung{1, 0});
    chain.script_path = "/somewhere/script";
    return chain;
  }

  std::string folder;
  std::string chain_folder;
};

void expect_same(const Chain& a, const Chain& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.created, b.created);
  EXPECT_EQ(a.spec, b.spec);
  EXPECT_EQ(a.array, b.array);
  EXPECT_EQ(a.throttle, b.throttle);
  EXPECT_EQ(a.ladder, b.ladder);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.script_path, b.script_path);
  EXPECT_EQ(a.tasks, b.tasks);
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_EQ(a.handlers, b.handlers);
  EXPECT_EQ(a.sizing, b.sizing);
}

TEST_F(LedgerTest, AFileThatIsBusyIsNotReadInPart) {
  ASSERT_TRUE(Ledger::create(chain_folder, some_chain()));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((chain_folder + "/ledger.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto busy = Ledger::open(chain_folder);
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().text().find("damaged"), std::string::npos) << busy.error().text();
  sqlite3_close(other);
  EXPECT_TRUE(Ledger::open(chain_folder));
}

TEST_F(LedgerTest, ReadsBackEverythingThatWasCommitted) {
  Chain chain = some_chain();
  const auto tell = [&](Ledger& ledger, ChainEvent event) {
    ASSERT_TRUE(ledger.commit({&event, 1}));
    record_in(chain, event);
  };
  {
    auto ledger = Ledger::create(chain_folder, chain);
    ASSERT_TRUE(ledger) << ledger.error().text();
    tell(**ledger, hand_in(chain, {50, 4096, 80}, Instant(seconds(1001))).value());
    ASSERT_EQ(chain.batches.size(), 2U);
    tell(**ledger, BatchAccepted{1, {JobId(7), Instant(seconds(1002))}});
    tell(**ledger, BatchTriedAgain{2, Instant(seconds(1100))});
    tell(**ledger, HandlerIntended{{1, "c1.h1", {1, 2}, Instant(seconds(1003)), {}, false}});
    tell(**ledger, HandlerAccepted{1, {JobId(8), Instant(seconds(1004))}});
    tell(**ledger, BatchReleased{1});
    tell(**ledger, TasksSeen{{0, 1}, {}});
    Settlement one;
    one.run = {
        0,    1, 1, JobState::kOutOfMemory, 0, 9, 123456, Instant(seconds(1)), Instant(seconds(2)),
        "n1", 1};
    one.after = after_run(chain.ladder, chain.task(0), {}, {JobState::kTimeout, 0, 0, {}},
                          ChainState::kActive);
    tell(**ledger, TasksSettled{{one}});
    tell(**ledger, ChainSized{{Rung{1, 0}, 1, 500, seconds(30)}});
    Batch part = chain.batch(1);
    part.number = 3;
    part.tasks = parse_array_spec("5-20").value().indices;
    part.request.memory->mb = 500;
    tell(**ledger, BatchesResized{{part}});
    tell(**ledger, BatchReleased{3});
    Batch other = chain.batch(3);
    other.number = 4;
    other.key = "c1.b4";
    other.state = BatchState::kIntended;
    other.move = BatchMove{3, *other.job, "maigan", "high", {}};
    other.job.reset();
    other.tasks = parse_array_spec("7-12").value().indices;
    tell(**ledger, MoveIntended{other});
    tell(**ledger, BatchAccepted{4, {JobId(9), Instant(seconds(1005))}});
    EXPECT_EQ(chain.batch(4).state, BatchState::kTaking);
    tell(**ledger, TasksTaken{4, parse_array_spec("8-11").value().indices});
    tell(**ledger, MoveEnded{4, parse_array_spec("10").value().indices});
    tell(**ledger, BatchMissed{2, Instant(seconds(1006))});
    tell(**ledger, BatchWithdrawn{2, GivenUp::kNo, "QOSMaxSubmitJobPerUserLimit"});
    ChainTerms terms = chain.terms;
    terms.engine = "embedded";
    terms.project = "/here";
    terms.accounts = {"a", "b"};
    terms.gpu_runtime = minutes(22);
    terms.last_level = 2;
    terms.looked_around = Instant(seconds(1007));
    tell(**ledger, TermsChanged{terms});
    tell(**ledger, HandlerGone{1});
    tell(**ledger, ChainStateChanged{ChainState::kCancelled});
  }
  EXPECT_EQ(Ledger::state_of(chain_folder), ChainState::kCancelled);
  const auto again = Ledger::open(chain_folder);
  ASSERT_TRUE(again) << again.error().text();
  expect_same((*again)->chain(), chain);
  std::vector<TaskRun> runs;
  ASSERT_TRUE((*again)->each_run([&](const TaskRun& run) { runs.push_back(run); }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].max_rss_kb, 123456);
  EXPECT_EQ(runs[0].node, "n1");
  std::ifstream script(chain_folder + "/script");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(script), {}), chain.spec.launch.script);
}

TEST_F(LedgerTest, ARunIsRecordedOnce) {
  Chain chain = some_chain();
  auto ledger = Ledger::create(chain_folder, chain);
  ASSERT_TRUE(ledger);
  const ChainEvent intended = hand_in(chain, {}, Instant{}).value();
  ASSERT_TRUE((*ledger)->commit({&intended, 1}));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((chain_folder + "/ledger.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "INSERT INTO run VALUES (5,1,1,4,0,0,-1,-1,-1,'',0)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  Settlement one;
  one.run.index = 5;
  one.run.batch = 1;
  one.after = (*ledger)->chain().task(5);
  one.after.state = TaskState::kCompleted;
  const ChainEvent settled = TasksSettled{{one}};
  EXPECT_FALSE((*ledger)->commit({&settled, 1}));
  // Nothing of it was written, and nobody goes on from what is in memory.
  EXPECT_FALSE((*ledger)->commit({&settled, 1}));
  const auto again = Ledger::open(chain_folder);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->chain().task(5).state, TaskState::kSubmitted);
}

TEST_F(LedgerTest, RefusesNewerOtherAndDamagedFiles) {
  ASSERT_FALSE(Ledger::open(chain_folder));
  EXPECT_EQ(Ledger::open(chain_folder).error().kind, ErrorKind::kBadInput);
  ASSERT_TRUE(Ledger::create(chain_folder, some_chain()));
  const auto change = [&](const char* text) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((chain_folder + "/ledger.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text, nullptr, nullptr, nullptr), SQLITE_OK) << text;
    sqlite3_close(database);
  };
  change("PRAGMA user_version=6");
  const auto newer = Ledger::open(chain_folder);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(newer.error().what.find("newer sluice"), std::string::npos);
  change("PRAGMA user_version=5; UPDATE task SET state=1, batch=9 WHERE number=3");
  const auto damaged = Ledger::open(chain_folder);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().what.find("task 3 is in no batch"), std::string::npos);
  change("PRAGMA application_id=5");
  EXPECT_FALSE(Ledger::open(chain_folder));
}

constexpr const char* kTo4 =
    "ALTER TABLE task DROP COLUMN place_level; ALTER TABLE task DROP COLUMN continued; "
    "ALTER TABLE batch DROP COLUMN place_level; ";

TEST_F(LedgerTest, ReadsTheFormatBeforeThis) {
  const Chain chain = some_chain();
  ASSERT_TRUE(Ledger::create(chain_folder, chain));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((chain_folder + "/ledger.db").c_str(), &database), SQLITE_OK);
  const std::string older = std::string(kTo4) + "PRAGMA user_version=4";
  EXPECT_EQ(sqlite3_exec(database, older.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  for (int i = 0; i < 2; ++i) {
    const auto again = Ledger::open(chain_folder);
    ASSERT_TRUE(again) << again.error().text();
    expect_same((*again)->chain(), chain);
  }
}

TEST_F(LedgerTest, ReadsEveryEarlierFormat) {
  const std::string to_3 =
      std::string(kTo4) +
      "ALTER TABLE chain DROP COLUMN terms; ALTER TABLE batch DROP COLUMN placement; "
      "ALTER TABLE batch DROP COLUMN refusal; ALTER TABLE batch DROP COLUMN missed; ";
  const std::string to_2 = to_3 + "ALTER TABLE batch DROP COLUMN move; ";
  const std::string to_1 = to_2 + "ALTER TABLE chain DROP COLUMN sizing; ";
  for (const std::string& older : {to_1 + "PRAGMA user_version=1", to_2 + "PRAGMA user_version=2",
                                   to_3 + "PRAGMA user_version=3"}) {
    Chain chain = some_chain();
    {
      auto ledger = Ledger::create(chain_folder, chain);
      ASSERT_TRUE(ledger);
      const ChainEvent intended = hand_in(chain, {50, 4096, 80}, Instant(seconds(1001))).value();
      ASSERT_TRUE((*ledger)->commit({&intended, 1}));
      record_in(chain, intended);
    }
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((chain_folder + "/ledger.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, older.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    // What the terms are now stood in files then, and in the environment of the job.
    std::ofstream(chain_folder + "/engine") << "embedded\n";
    std::ofstream(chain_folder + "/project") << "/work here\n";
    for (int i = 0; i < 2; ++i) {
      auto again = Ledger::open(chain_folder);
      ASSERT_TRUE(again) << again.error().text();
      expect_same((*again)->chain(), chain);
      EXPECT_EQ((*again)->chain().terms.engine, "embedded");
      EXPECT_EQ((*again)->chain().terms.project, "/work here");
      EXPECT_FALSE(fs::exists(chain_folder + "/engine"));
      const ChainEvent more = BatchTriedAgain{1, Instant(seconds(1100 + i))};
      ASSERT_TRUE((*again)->commit({&more, 1}));
      record_in(chain, more);
    }
    fs::remove_all(chain_folder);
  }
}

TEST_F(LedgerTest, NothingIsLeftOfALedgerThatCouldNotBeMade) {
  ASSERT_TRUE(Ledger::create(chain_folder, some_chain()));
  EXPECT_FALSE(Ledger::create(chain_folder, some_chain()));
  EXPECT_TRUE(fs::exists(chain_folder + "/ledger.db"));
  EXPECT_FALSE(Ledger::create("/proc/none/c1", some_chain()));
}

TEST_F(LedgerTest, OneProcessHoldsTheLease) {
  fs::create_directory(chain_folder);
  auto mine = Lease::take(chain_folder, Duration(0));
  ASSERT_TRUE(mine) << mine.error().text();
  const auto other = Lease::take(chain_folder, Duration(120));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kNoCapacity);
  EXPECT_NE(other.error().what.find(std::to_string(::getpid())), std::string::npos);
  { const Lease gone = std::move(*mine); }
  EXPECT_TRUE(Lease::take(chain_folder, Duration(0)));
}

TEST_F(LedgerTest, ALeaseOfADeadProcessIsTakenOver) {
  fs::create_directory(chain_folder);
  const pid_t child = ::fork();
  if (child == 0) {
    auto lease = Lease::take(chain_folder, Duration(0));
    ::pause();
    ::_exit(0);
  }
  while (!fs::exists(chain_folder + "/lease")) ::usleep(1000);
  EXPECT_FALSE(Lease::take(chain_folder, Duration(0)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(Lease::take(chain_folder, Duration(0)));
}

TEST_F(LedgerTest, ALeaseOfAnotherHostIsRespectedUntilItIsOld) {
  fs::create_directory(chain_folder);
  const std::string lease = chain_folder + "/lease";
  std::ofstream(lease) << "elsewhere\nboot\n1\n1\n";
  EXPECT_FALSE(Lease::take(chain_folder, Duration(0)));
  fs::last_write_time(lease, fs::file_time_type::clock::now() - std::chrono::seconds(200));
  EXPECT_TRUE(Lease::take(chain_folder, Duration(0)));
}

TEST_F(LedgerTest, ManyProcessesWorkOneAfterTheOther) {
  fs::create_directory(chain_folder);
  const std::string counter = folder + "/counter";
  std::ofstream(counter) << 0;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    for (int k = 0; k < 5; ++k) {
      const auto lease = Lease::take(chain_folder, seconds(60));
      if (!lease) ::_exit(1);
      int value = 0;
      std::ifstream(counter) >> value;
      ::usleep(500);
      std::ofstream(counter) << value + 1;
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  int value = 0;
  std::ifstream(counter) >> value;
  EXPECT_EQ(value, 40);
}

TEST_F(LedgerTest, WordsAreTakenOnce) {
  fs::create_directory(chain_folder);
  EXPECT_FALSE(take_words(chain_folder));
  ASSERT_TRUE(leave_word(chain_folder, "look"));
  ASSERT_TRUE(leave_word(chain_folder, "look"));
  EXPECT_TRUE(take_words(chain_folder));
  EXPECT_FALSE(take_words(chain_folder));
}

}  // namespace
}  // namespace sluice
