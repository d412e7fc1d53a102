#include "host/journal/sqlite_journal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "host/files/folder_for_tests.h"
#include "host/journal/history_table.h"
#include "model/event.h"

namespace sluice {
namespace {

Event submitted(std::uint32_t job, std::int64_t second) {
  return Event(Instant(seconds(second)), JobSubmitted{JobId(job), SpecId(1), std::nullopt});
}

std::vector<Event> everything(SqliteJournal& journal) {
  std::vector<Event> events;
  const auto done = journal.replay([&](const Event& event) { events.push_back(event); });
  EXPECT_TRUE(done) << done.error().text();
  return events;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// With SQLite itself, behind the journal's back.
void execute(const std::string& path, const std::string& statement) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, &error), SQLITE_OK)
      << error;
  sqlite3_close(database);
}

class SqliteJournalTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteJournal> open() {
    auto opened = SqliteJournal::open(path_);
    EXPECT_TRUE(opened) << opened.error().text();
    return opened ? std::move(*opened) : nullptr;
  }
  // Twenty batches of one event.
  void fill() {
    auto journal = open();
    for (std::uint32_t i = 1; i <= 20; ++i) {
      const Event event = submitted(i, i);
      ASSERT_TRUE(journal->commit(std::span(&event, 1)));
    }
  }

  FolderForTests folder_;
  std::string path_ = folder_ / "journal.db";
};

TEST_F(SqliteJournalTest, GivesBackWhatWasCommittedInOrder) {
  std::vector<Event> first{submitted(1, 1), submitted(2, 2)};
  std::vector<Event> second{submitted(3, 5)};
  {
    auto journal = open();
    EXPECT_TRUE(everything(*journal).empty());
    ASSERT_TRUE(journal->commit(first));
    ASSERT_TRUE(journal->commit(second));
    EXPECT_EQ(journal->batches(), 2U);
  }
  auto journal = open();
  EXPECT_EQ(journal->batches(), 2U);
  const std::vector<Event> expected{first[0], first[1], second[0]};
  EXPECT_EQ(everything(*journal), expected);
}

TEST_F(SqliteJournalTest, NothingToSayLeavesNoBatch) {
  auto journal = open();
  ASSERT_TRUE(journal->commit({}));
  EXPECT_EQ(journal->batches(), 0U);
}

TEST_F(SqliteJournalTest, AFileThatLostItsBytesIsNotTakenForANewOne) {
  std::ofstream(path_).close();
  const auto opened = SqliteJournal::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text().find("0 bytes"), std::string::npos) << opened.error().text();
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
}

TEST_F(SqliteJournalTest, ABeginningThatWasCutOffIsBegunAnew) {
  std::ofstream(path_ + ".new") << "half of";
  EXPECT_TRUE(SqliteJournal::open(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(SqliteJournalTest, IsPrivate) {
  fill();
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(SqliteJournalTest, RemembersNotesAndReplacesThem) {
  auto journal = open();
  EXPECT_FALSE(journal->note("keeper").value().has_value());
  ASSERT_TRUE(journal->commit({}, {}, std::vector<Note>{{"keeper", "a"}}));
  ASSERT_TRUE(journal->commit({}, {}, std::vector<Note>{{"keeper", "b"}}));
  EXPECT_EQ(journal->note("keeper").value(), "b");
}

TEST_F(SqliteJournalTest, ASecondWriterIsRefused) {
  auto journal = open();
  // Another process: locks of one process do not exclude each other.
  const pid_t child = ::fork();
  if (child == 0) {
    const auto second = SqliteJournal::open(path_);
    ::_exit(!second && second.error().what.find("another process") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(SqliteJournalTest, WhatACommitReturnedForSurvivesKill) {
  // The child commits batches of three and says so; it is killed in the middle of its work.
  for (int round = 0; round < 12; ++round) {
    int said[2];
    ASSERT_EQ(::pipe(said), 0);
    const std::uint64_t before = open()->batches();
    const pid_t child = ::fork();
    if (child == 0) {
      auto journal = SqliteJournal::open(path_);
      for (std::uint32_t i = static_cast<std::uint32_t>(before) * 3 + 1;; i += 3) {
        const std::vector<Event> three{submitted(i, i), submitted(i + 1, i), submitted(i + 2, i)};
        if (!(*journal)->commit(three)) ::_exit(1);
        const char one = 1;
        if (::write(said[1], &one, 1) != 1) ::_exit(2);
      }
    }
    ::close(said[1]);
    std::uint64_t acknowledged = 0;
    char bytes[1];
    while (acknowledged < static_cast<std::uint64_t>(5 + round * 7) &&
           ::read(said[0], bytes, 1) == 1)
      ++acknowledged;
    ::kill(child, SIGKILL);
    while (::read(said[0], bytes, 1) == 1) ++acknowledged;
    ::close(said[0]);
    ::waitpid(child, nullptr, 0);
    auto journal = open();
    EXPECT_GE(journal->batches(), before + acknowledged);
    EXPECT_LE(journal->batches(), before + acknowledged + 1);
    const std::vector<Event> events = everything(*journal);
    ASSERT_EQ(events.size(), journal->batches() * 3);
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(std::get<JobSubmitted>(events[i].body).job, JobId(i + 1));
    }
  }
}

TEST_F(SqliteJournalTest, ANewerFormatIsRefusedAndUntouched) {
  fill();
  execute(path_, "PRAGMA user_version = 99");
  const std::string before = contents(path_);
  const auto opened = SqliteJournal::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("newer sluice"), std::string::npos) << opened.error().text();
  EXPECT_EQ(opened.error().where, path_);
  EXPECT_EQ(contents(path_), before);
}

TEST_F(SqliteJournalTest, ADatabaseOfSomebodyElseIsRefusedAndUntouched) {
  execute(path_, "CREATE TABLE mine(x)");
  const std::string before = contents(path_);
  const auto opened = SqliteJournal::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("not a journal of sluice"), std::string::npos);
  EXPECT_EQ(contents(path_), before);
}

TEST_F(SqliteJournalTest, AFileThatIsNoDatabaseIsRefusedAndUntouched) {
  std::ofstream(path_) << std::string(5000, 'x');
  const auto opened = SqliteJournal::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("damaged"), std::string::npos) << opened.error().text();
  EXPECT_EQ(contents(path_), std::string(5000, 'x'));
}

TEST_F(SqliteJournalTest, AGarbledBatchIsNamed) {
  fill();
  execute(path_, "UPDATE batch SET bytes = zeroblob(length(bytes)) WHERE id = 7");
  auto journal = open();
  std::size_t seen = 0;
  const auto done = journal->replay([&](const Event&) { ++seen; });
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what.find("batch 7 is damaged"), std::string::npos) << done.error().text();
  EXPECT_EQ(seen, 6U);
}

TEST_F(SqliteJournalTest, AMissingBatchIsNamed) {
  fill();
  execute(path_, "DELETE FROM batch WHERE id = 7");
  auto journal = open();
  const auto done = journal->replay([](const Event&) {});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what.find("batch 7"), std::string::npos);
}

TEST_F(SqliteJournalTest, ACutOffFileIsAnErrorAtEveryLength) {
  {
    auto journal = open();
    for (std::uint32_t i = 1; i <= 400; ++i) {
      const std::vector<Event> events(20, submitted(i, i));
      ASSERT_TRUE(journal->commit(events));
    }
  }
  const std::string whole = contents(path_);
  ASSERT_GT(whole.size(), 40'000U);
  for (std::size_t size = 1000; size + 4096 < whole.size(); size += 6000) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    auto opened = SqliteJournal::open(path_);
    if (!opened) continue;
    std::size_t seen = 0;
    const auto done = (*opened)->replay([&](const Event&) { ++seen; });
    EXPECT_FALSE(done) << "cut off at " << size << ", " << seen << " events";
  }
}

TEST_F(SqliteJournalTest, AReadOnlyFolderIsAClearError) {
  if (::geteuid() == 0) {
    // Root may write anywhere but on a read-only file system.
    const std::string mounted = folder_ / "mounted";
    std::filesystem::create_directory(mounted);
    if (::mount("none", mounted.c_str(), "tmpfs", MS_RDONLY, nullptr) != 0) {
      GTEST_SKIP() << "no file system can be mounted here";
    }
    const auto opened = SqliteJournal::open(mounted + "/journal.db");
    EXPECT_FALSE(opened);
    if (!opened) {
      EXPECT_NE(opened.error().what.find("cannot open"), std::string::npos);
    }
    ::umount(mounted.c_str());
    return;
  }
  std::filesystem::permissions(
      folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto opened = SqliteJournal::open(path_);
  EXPECT_FALSE(opened);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
}

TEST_F(SqliteJournalTest, AFullDiskIsAClearErrorAndLosesNothing) {
  const std::string mounted = folder_ / "mounted";
  std::filesystem::create_directory(mounted);
  if (::mount("none", mounted.c_str(), "tmpfs", 0, "size=300k") != 0) {
    GTEST_SKIP() << "only root can mount a small file system";
  }
  const std::string path = mounted + "/journal.db";
  std::uint64_t committed = 0;
  {
    auto journal = SqliteJournal::open(path);
    ASSERT_TRUE(journal) << journal.error().text();
    const std::vector<Event> events(100, submitted(1, 1));
    Result<void> done;
    while (committed < 10'000 && (done = (*journal)->commit(events))) ++committed;
    EXPECT_FALSE(done);
    if (!done) {
      EXPECT_NE(done.error().what.find("disk is full"), std::string::npos) << done.error().text();
      EXPECT_EQ(done.error().where, path);
    }
  }
  EXPECT_GT(committed, 10U);
  {
    auto journal = SqliteJournal::open(path);
    ASSERT_TRUE(journal) << journal.error().text();
    EXPECT_EQ(everything(**journal).size(), committed * 100);
  }
  ::umount(mounted.c_str());
}

HistoryRow ended(std::uint32_t job, const std::string& user, std::int64_t at) {
  HistoryRow row;
  row.job = JobId(job);
  row.attempt = 1;
  row.name = "j" + std::to_string(job);
  row.user = user;
  row.account = "lab";
  row.partition = "main";
  row.nodes = "n[1-2]";
  row.requested = "cpu=1";
  row.submitted = Instant(seconds(at - 10));
  row.eligible = Instant(seconds(at - 9));
  row.started = Instant(seconds(at - 5));
  row.ended = Instant(seconds(at));
  row.limit = minutes(5);
  row.outcome = Outcome{JobState::kFailed, 3, 0, 1024, seconds(2)};
  return row;
}

// What is met only when a run ends would end the daemon then, and again after every start.
TEST_F(SqliteJournalTest, AJournalThatOpensWithAPageOfZerosCanBeWritten) {
  {
    auto journal = open();
    for (std::uint32_t i = 1; i <= 20; ++i) {
      const Event event = submitted(i, i);
      const HistoryRow rows[] = {ended(i, "ann", 1000 + i)};
      const Note note{fmt::format("note.{}", i), "x"};
      const KeptAnswer answer{"ann", std::to_string(i), instant_at(seconds(i)), "{}"};
      ASSERT_TRUE(
          journal->commit(std::span(&event, 1), rows, std::span(&note, 1), std::span(&answer, 1)));
    }
  }
  const std::string whole = contents(path_);
  constexpr std::size_t kPage = 4096;
  std::size_t refused = 0;
  for (std::size_t page = 0; page < whole.size() / kPage; ++page) {
    std::string damaged = whole;
    damaged.replace(page * kPage, kPage, kPage, '\0');
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << damaged;
    auto opened = SqliteJournal::open(path_);
    if (!opened) {
      ++refused;
      EXPECT_NE(opened.error().what.find("damaged"), std::string::npos);
    }
    if (!opened || !(*opened)->replay([](const Event&) {})) continue;
    const Event event = submitted(21, 21);
    const HistoryRow rows[] = {ended(21, "ann", 1021)};
    const Note note{"note.21", "x"};
    const KeptAnswer answer{"ann", "21", instant_at(seconds(21)), "{}"};
    EXPECT_TRUE(
        (*opened)->commit(std::span(&event, 1), rows, std::span(&note, 1), std::span(&answer, 1)))
        << "page " << page;
    EXPECT_TRUE((*opened)->history({})) << "page " << page;
  }
  EXPECT_GT(refused, 8U);
}

TEST_F(SqliteJournalTest, HistoryIsFoundByWhoWhenAndWhat) {
  auto journal = open();
  std::vector<HistoryRow> rows{ended(1, "ann", 100), ended(2, "bob", 200), ended(3, "ann", 300)};
  rows[1].outcome.state = JobState::kOutOfMemory;
  rows[2].array = JobId(3);
  rows[2].task = 7;
  rows[2].output = "2:100:5";
  ASSERT_TRUE(journal->commit({}, rows));
  HistoryQuery query;
  std::vector<HistoryRow> found = journal->history(query).value();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], rows[2]);
  EXPECT_EQ(found[2], rows[0]);
  query.user = "ann";
  EXPECT_EQ(journal->history(query).value().size(), 2U);
  query.ended_since = Instant(seconds(300));
  EXPECT_EQ(journal->history(query).value().size(), 1U);
  query = {};
  query.states = {JobState::kOutOfMemory, JobState::kTimeout};
  EXPECT_EQ(journal->history(query).value().at(0), rows[1]);
  query = {};
  query.jobs = {JobId(1), JobId(3)};
  EXPECT_EQ(journal->history(query).value().size(), 2U);
  query.task = 7;
  EXPECT_EQ(journal->history(query).value().size(), 1U);
  query = {};
  query.most = 1;
  EXPECT_EQ(journal->history(query).value().at(0).job, JobId(3));
  query.user = "nobody'; DROP TABLE history; --";
  EXPECT_TRUE(journal->history(query).value().empty());
}

TEST_F(SqliteJournalTest, TheSameRunTwiceIsOneRow) {
  auto journal = open();
  std::vector<HistoryRow> rows{ended(1, "ann", 100)};
  ASSERT_TRUE(journal->commit({}, rows));
  ASSERT_TRUE(journal->commit({}, rows));
  rows[0].attempt = 2;
  ASSERT_TRUE(journal->commit({}, rows));
  EXPECT_EQ(journal->history({}).value().size(), 2U);
}

TEST_F(SqliteJournalTest, TasksCancelledTogetherShareARowAndAreFound) {
  auto journal = open();
  HistoryRow some = ended(3, "ann", 100);
  some.array = JobId(3);
  some.attempt = 0;
  some.started.reset();
  some.task = 4;
  some.tasks = "4-6";
  some.folder = "/home/ann";
  some.stdout_pattern = "%j.txt";
  HistoryRow others = some;
  others.task = 8;
  others.tasks = "8";
  const std::vector<HistoryRow> rows{some, others};
  ASSERT_TRUE(journal->commit({}, rows));
  HistoryQuery query;
  query.jobs = {JobId(3)};
  EXPECT_EQ(journal->history(query).value().size(), 2U);
  query.task = 5;
  ASSERT_EQ(journal->history(query).value().size(), 1U);
  EXPECT_EQ(journal->history(query).value().front(), some);
  query.task = 7;
  EXPECT_TRUE(journal->history(query).value().empty());
}

TEST_F(SqliteJournalTest, AnswersAreFoundByTheirKeyForADay) {
  const auto answer = [](const std::string& key, std::int64_t at) {
    return std::vector<KeptAnswer>{{"ann", key, Instant(seconds(at)), "answer to " + key}};
  };
  {
    auto journal = open();
    ASSERT_TRUE(journal->commit({}, {}, {}, answer("a", 1'000)));
  }
  auto journal = open();
  EXPECT_EQ(journal->answer("ann", "a").value(), "answer to a");
  EXPECT_EQ(journal->answer("bob", "a").value(), std::nullopt) << "another's key";
  ASSERT_TRUE(journal->commit({}, {}, {}, answer("b", 1'000 + 86'401)));
  EXPECT_EQ(journal->answer("ann", "a").value(), std::nullopt) << "too long ago";
  EXPECT_EQ(journal->answer("ann", "b").value(), "answer to b");
}

TEST_F(SqliteJournalTest, AnOlderFormatIsBroughtUpToDate) {
  fill();
  {
    auto journal = open();
    ASSERT_TRUE(journal->commit({}, std::vector<HistoryRow>{ended(1, "ann", 100)}));
  }
  // As format 1 had it.
  execute(path_,
          "DROP TABLE snapshot; DROP TABLE submission; ALTER TABLE history DROP COLUMN tasks;"
          "ALTER TABLE history DROP COLUMN err; ALTER TABLE history DROP COLUMN out;"
          "ALTER TABLE history DROP COLUMN folder;"
          "ALTER TABLE history DROP COLUMN details; ALTER TABLE history DROP COLUMN steps;"
          "ALTER TABLE history DROP COLUMN size; PRAGMA user_version = 1");
  auto journal = open();
  ASSERT_NE(journal, nullptr);
  EXPECT_EQ(everything(*journal).size(), 20U);
  EXPECT_EQ(journal->history({}).value(), std::vector<HistoryRow>{ended(1, "ann", 100)});
  EXPECT_EQ(journal->answer("ann", "a").value(), std::nullopt);
  journal.reset();
  // And format 4.
  execute(path_, "ALTER TABLE history DROP COLUMN size; PRAGMA user_version = 4");
  journal = open();
  ASSERT_NE(journal, nullptr);
  EXPECT_EQ(journal->history({}).value(), std::vector<HistoryRow>{ended(1, "ann", 100)});
  EXPECT_GT(journal->history_of_users().value().at(0).bytes, 0U);
}

TEST_F(SqliteJournalTest, ASnapshotStandsForTheBatchesBeforeIt) {
  fill();
  {
    auto journal = open();
    EXPECT_FALSE(journal->snapshot().value().has_value());
    EXPECT_GT(journal->batch_bytes(), 0U);
    ASSERT_TRUE(journal->compact("the state"));
    EXPECT_EQ(journal->batch_bytes(), 0U);
    EXPECT_TRUE(everything(*journal).empty());
    const Event event = submitted(21, 21);
    ASSERT_TRUE(journal->commit(std::span(&event, 1)));
  }
  auto journal = open();
  EXPECT_EQ(journal->batches(), 21U);
  EXPECT_EQ(journal->snapshot().value(), "the state");
  EXPECT_EQ(journal->snapshot_bytes(), 9U);
  EXPECT_EQ(everything(*journal), std::vector<Event>{submitted(21, 21)});
  ASSERT_TRUE(journal->compact("a later state"));
  EXPECT_EQ(journal->snapshot().value(), "a later state");
}

TEST_F(SqliteJournalTest, ABatchThatIsMissingBehindASnapshotIsFound) {
  {
    auto journal = open();
    for (std::uint32_t i = 1; i <= 3; ++i) {
      const Event event = submitted(i, i);
      ASSERT_TRUE(journal->commit(std::span(&event, 1)));
      if (i == 1) {
        ASSERT_TRUE(journal->compact("the state"));
      }
    }
  }
  execute(path_, "DELETE FROM batch WHERE id = 2");
  auto journal = open();
  const auto done = journal->replay([](const Event&) {});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what.find("batch 2"), std::string::npos);
}

TEST_F(SqliteJournalTest, OldRowsGoWithWhatTheySaid) {
  auto journal = open();
  std::vector<HistoryRow> rows;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    HistoryRow& row = rows.emplace_back();
    row.job = JobId(i);
    row.attempt = 1;
    row.ended = Instant(seconds(i));
    row.output = i == 2 ? "run-2.1" : std::to_string(i) + ":0:5";
  }
  ASSERT_TRUE(journal->commit({}, rows));
  const auto none = journal->forget_before(Instant(seconds(1)));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->rows, 0U);
  const auto gone = journal->forget_before(Instant(seconds(3)));
  ASSERT_TRUE(gone) << gone.error().text();
  EXPECT_EQ(gone->rows, 2U);
  EXPECT_FALSE(gone->more);
  ASSERT_EQ(gone->outputs.size(), 2U);
  EXPECT_EQ(gone->outputs[0].token, "1:0:5");
  EXPECT_EQ(gone->outputs[1].token, "run-2.1");
  EXPECT_EQ(gone->first_segment, 3U);
  EXPECT_EQ(journal->history({}).value().size(), 2U);
}

TEST_F(SqliteJournalTest, OfRowsThatEndedAtOnceThoseGoWhoseOutputWasTold) {
  auto journal = open();
  // More than go at once, all of one instant, written in another order than they have.
  constexpr std::uint32_t kRows = 12'000;
  std::vector<HistoryRow> rows;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    HistoryRow& row = rows.emplace_back();
    row.job = JobId(i * 7919 % kRows / 2 + 1);
    row.attempt = 1 + i * 7919 % kRows % 2;
    row.ended = Instant(seconds(1));
    row.output = fmt::format("run-{}.{}", row.job.value(), row.attempt);
  }
  ASSERT_TRUE(journal->commit({}, rows));
  std::set<std::string> left;
  for (const HistoryRow& row : rows) left.insert(row.output);
  ASSERT_EQ(left.size(), kRows);
  bool more = true;
  while (more) {
    const auto gone = journal->forget_before(Instant(seconds(2)));
    ASSERT_TRUE(gone) << gone.error().text();
    for (const UsersOutput& output : gone->outputs)
      EXPECT_EQ(left.erase(output.token), 1U) << output.token;
    std::set<std::string> kept;
    const auto after = journal->history({});
    ASSERT_TRUE(after) << after.error().text();
    for (const HistoryRow& row : *after) kept.insert(row.output);
    ASSERT_EQ(kept, left);
    more = gone->more;
  }
  EXPECT_TRUE(left.empty());
}

TEST_F(SqliteJournalTest, OneUsersKeysAreForgottenInTheirOrderAndNobodyElses) {
  auto journal = open();
  const KeptAnswer of_bob{"bob", "b", Instant(seconds(1)), "his"};
  ASSERT_TRUE(journal->commit({}, {}, {}, std::vector{of_bob}));
  for (int part = 0; part < 54; ++part) {
    std::vector<KeptAnswer> answers;
    for (int i = 0; i < 1024; ++i)
      answers.push_back(
          {"ann", fmt::format("{}.{}", part, i), Instant(Duration(2000 + part * 1024 + i)), "a"});
    ASSERT_TRUE(journal->commit({}, {}, {}, answers));
  }
  EXPECT_EQ(journal->answer("ann", "0.0").value(), std::nullopt);
  EXPECT_EQ(journal->answer("ann", "5.95").value(), std::nullopt);
  EXPECT_EQ(journal->answer("ann", "5.176").value(), "a");
  EXPECT_EQ(journal->answer("ann", "53.1023").value(), "a");
  EXPECT_EQ(journal->answer("bob", "b").value(), "his");
}

TEST_F(SqliteJournalTest, OneUsersOldestRowsGoAndNobodyElses) {
  auto journal = open();
  std::vector<HistoryRow> rows;
  for (std::uint32_t i = 1; i <= 3000; ++i) {
    rows.push_back(ended(i, i % 3 == 0 ? "ann" : "bob", i / 50));
    if (i == 5) rows.back().output = "run-5.1";
  }
  ASSERT_TRUE(journal->commit({}, rows));
  std::map<std::string, std::uint64_t> sizes;
  for (const HistoryRow& row : rows) sizes[row.user] += HistoryTable::size_of(row);
  const auto told = [&] {
    std::map<std::string, std::uint64_t> out;
    const auto all = journal->history_of_users();
    for (const UsersHistory& each : all.value()) out[each.user] = each.bytes;
    return out;
  };
  EXPECT_EQ(told(), sizes);
  std::optional<HistoryPlace> place;
  std::vector<std::string> outputs;
  for (int part = 0; part < 2; ++part) {
    const auto gone = journal->forget_of("bob", place, 600);
    ASSERT_TRUE(gone) << gone.error().text();
    EXPECT_EQ(gone->rows, 400U);
    sizes["bob"] -= gone->bytes;
    outputs.insert(outputs.end(), gone->outputs.begin(), gone->outputs.end());
    ASSERT_TRUE(gone->next);
    place = gone->next;
  }
  EXPECT_EQ(told(), sizes);
  EXPECT_EQ(outputs, std::vector<std::string>{"run-5.1"});
  std::size_t of_ann = 0;
  std::uint32_t oldest_of_bob = 0;
  const auto left = journal->history({});
  for (const HistoryRow& row : left.value()) {
    of_ann += row.user == "ann";
    if (row.user == "bob") oldest_of_bob = row.job.value();
  }
  EXPECT_EQ(of_ann, 1000U);
  EXPECT_EQ(oldest_of_bob, 1201U);
  // The rest in one go.
  const auto rest = journal->forget_of("bob", place, 100'000);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->rows, 1200U);
  EXPECT_FALSE(rest->next);
  EXPECT_EQ(journal->forget_of("carl", {}, 100'000).value().rows, 0U);
}

TEST_F(SqliteJournalTest, TheHistoryIsReadInPartsThatMakeUpTheWhole) {
  const auto journal = open();
  std::vector<HistoryRow> rows;
  // Many end at once: their order goes on with their numbers.
  for (std::uint32_t i = 1; i <= 2300; ++i) {
    rows.push_back(ended(i, i % 3 == 0 ? "ann" : "bob", i / 700));
    if (i > 100) rows.back().array = JobId(7);
  }
  ASSERT_TRUE(journal->commit({}, rows));
  const auto in_parts = [&](const HistoryQuery& query) {
    std::vector<HistoryRow> all;
    std::optional<HistoryPlace> before;
    std::size_t parts = 0;
    do {
      auto part = journal->history_part(query, before).value();
      EXPECT_LE(part.rows.size(), 500U);
      for (HistoryRow& row : part.rows) all.push_back(std::move(row));
      before = part.next;
      ++parts;
    } while (before && parts < 100);
    return all;
  };
  HistoryQuery query;
  EXPECT_EQ(in_parts(query), journal->history(query).value());
  query.user = "ann";
  EXPECT_EQ(in_parts(query), journal->history(query).value());
  query.user = "nobody";
  EXPECT_TRUE(in_parts(query).empty());
  query.user.clear();
  query.jobs = {JobId(7)};
  EXPECT_EQ(in_parts(query), journal->history(query).value());
  EXPECT_EQ(in_parts(query).size(), 2201U);
  query.jobs = {JobId(12), JobId(13)};
  EXPECT_EQ(in_parts(query), journal->history(query).value());
  query.jobs = {JobId(7)};
  query.attempt = journal->history(query).value().front().attempt;
  EXPECT_EQ(journal->history(query).value().size(), 1U);
  query.attempt.reset();
  query.any_order = true;
  query.most = 1;
  EXPECT_EQ(journal->history(query).value().size(), 1U);
}

TEST_F(SqliteJournalTest, NotesAreFoundByTheirBeginningAndRemovedByAnEmptyOne) {
  const auto journal = open();
  const Note notes[] = {{"steps.1.0", "a"}, {"steps.1.1", "b"}, {"step", "c"}};
  ASSERT_TRUE(journal->commit({}, {}, notes));
  EXPECT_EQ(journal->notes("steps.").value().size(), 2U);
  const Note gone[] = {{"steps.1.0", ""}};
  ASSERT_TRUE(journal->commit({}, {}, gone));
  ASSERT_EQ(journal->notes("steps.").value().size(), 1U);
  EXPECT_EQ(journal->notes("steps.").value().front().value, "b");
}

}  // namespace
}  // namespace sluice
