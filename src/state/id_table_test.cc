#include "state/id_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/ids.h"

namespace sluice {
namespace {

TEST(IdTable, FindsWhatWasPutInAndNothingElse) {
  IdTable<JobId, int> table;
  table.insert(JobId(7), 70);
  table.insert(JobId(100'000), 1);
  EXPECT_EQ(table.at(JobId(7)), 70);
  EXPECT_EQ(table.find(JobId(8)), nullptr);
  EXPECT_EQ(table.find(JobId(5'000'000)), nullptr);
  EXPECT_EQ(table.size(), 2U);
}

TEST(IdTable, RowsStayWhereTheyAreWhileOthersComeAndGo) {
  IdTable<JobId, int> table;
  const int* first = &table.insert(JobId(1), 10);
  for (std::uint32_t i = 2; i < 3000; ++i) table.insert(JobId(i), 0);
  for (std::uint32_t i = 2; i < 3000; ++i) table.erase(JobId(i));
  EXPECT_EQ(table.find(JobId(1)), first);
  EXPECT_EQ(*first, 10);
}

TEST(IdTable, VisitsRowsInOrderOfTheirIds) {
  IdTable<JobId, std::uint32_t> table;
  for (std::uint32_t id : {900U, 3U, 128U}) table.insert(JobId(id), std::uint32_t{id});
  std::vector<std::uint32_t> seen;
  table.for_each([&](std::uint32_t row) { seen.push_back(row); });
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{3, 128, 900}));
}

TEST(IdTable, AnIdCanComeBackEmpty) {
  IdTable<JobId, std::vector<int>> table;
  table.insert(JobId(4), {1, 2});
  table.erase(JobId(4));
  EXPECT_EQ(table.find(JobId(4)), nullptr);
  EXPECT_TRUE(table.insert(JobId(4), {}).empty());
}

}  // namespace
}  // namespace sluice
