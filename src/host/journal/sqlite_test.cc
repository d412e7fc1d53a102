#include "storage/sqlite.h"

#include <gtest/gtest.h>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

// A list that ends early would be a queue without its jobs.
TEST(Sqlite, AFileThatAnotherProcessHoldsIsNoEndOfTheRows) {
  const FolderForTests folder;
  const std::string path = folder / "rows.db";
  auto writer = SqliteDatabase::open(path).value();
  ASSERT_TRUE(writer.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1),(2)"));
  auto reader = SqliteDatabase::open(path).value();
  sqlite3_busy_timeout(reader.handle(), 0);
  auto rows = reader.prepare("SELECT x FROM t").value();
  ASSERT_TRUE(writer.execute("BEGIN EXCLUSIVE"));
  const auto refused = reader.next(rows);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kNoCapacity);
  EXPECT_EQ(refused.error().where, path);
  rows.reset();
  ASSERT_TRUE(writer.execute("COMMIT"));
  EXPECT_EQ(reader.next(rows).value(), true);
  EXPECT_EQ(reader.next(rows).value(), true);
  EXPECT_EQ(reader.next(rows).value(), false);
}

}  // namespace
}  // namespace sluice
