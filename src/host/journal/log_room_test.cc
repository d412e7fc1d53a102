#include "host/journal/log_room.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/files/folder_for_tests.h"
#include "host/journal/sqlite_journal.h"
#include "model/event.h"

namespace sluice {
namespace {

Event submitted(std::uint32_t job) {
  return Event(Instant(seconds(job)), JobSubmitted{JobId(job), SpecId(1), std::nullopt});
}

std::vector<Event> events_of(const std::string& path) {
  auto journal = SqliteJournal::open(path);
  EXPECT_TRUE(journal) << journal.error().text();
  std::vector<Event> events;
  if (journal) {
    const auto done = (*journal)->replay([&](const Event& event) { events.push_back(event); });
    EXPECT_TRUE(done) << done.error().text();
  }
  return events;
}

TEST(LogRoom, CommitsDoNotMakeTheLogLonger) {
  const FolderForTests folder;
  const std::string path = folder / "journal.db";
  auto journal = SqliteJournal::open(path);
  ASSERT_TRUE(journal) << journal.error().text();
  const auto length = std::filesystem::file_size(path + "-wal");
  EXPECT_GT(length, static_cast<std::uint64_t>(kLogFrames) * 4096);
  // Long enough for SQLite to empty its log more than once.
  for (std::uint32_t i = 1; i <= 1500; ++i) {
    const Event event = submitted(i);
    ASSERT_TRUE((*journal)->commit(std::span(&event, 1)));
  }
  EXPECT_EQ(std::filesystem::file_size(path + "-wal"), length);
}

TEST(LogRoom, WhatWasCommittedIsFoundInFrontOfIt) {
  const FolderForTests folder;
  const std::string path = folder / "journal.db";
  const std::string copy = folder / "copy.db";
  const std::vector<Event> events{submitted(1), submitted(2)};
  auto journal = SqliteJournal::open(path);
  ASSERT_TRUE(journal) << journal.error().text();
  for (const Event& event : events) ASSERT_TRUE((*journal)->commit(std::span(&event, 1)));
  // As a crash leaves them.
  std::filesystem::copy_file(path, copy);
  std::filesystem::copy_file(path + "-wal", copy + "-wal");
  EXPECT_EQ(events_of(copy), events);
  // And a log of nothing but room, before the first commit.
  const std::string fresh = folder / "fresh.db";
  std::filesystem::copy_file(copy, fresh);
  std::filesystem::copy_file(path + "-wal", fresh + "-wal");
  std::filesystem::resize_file(fresh + "-wal", 0);
  std::filesystem::resize_file(fresh + "-wal", 1 << 20);
  EXPECT_EQ(events_of(fresh), events);
}

TEST(LogRoom, WithoutALogNothingHappens) {
  const FolderForTests folder;
  const std::string path = folder / "plain.db";
  auto database = SqliteDatabase::open(path);
  ASSERT_TRUE(database) << database.error().text();
  ASSERT_TRUE(database->execute("CREATE TABLE t(x)"));
  make_room_in_log(*database);
  EXPECT_EQ(database->ask("SELECT count(*) FROM t").value(), 0);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
}

}  // namespace
}  // namespace sluice
