#include "top/table.h"

#include <gtest/gtest.h>

#include "top/views.h"

namespace sluice {
namespace {

TopTable table_of(std::vector<std::vector<std::string>> rows) {
  TopTable out;
  out.columns = {{"A", false, true}, {"B", false, false}, {"C", true, false}, {"D", false, true}};
  out.state_column = 1;
  for (auto& cells : rows) {
    TopRow& row = out.rows.emplace_back();
    row.values.assign(cells.size(), kByText);
    row.cells = std::move(cells);
  }
  return out;
}

TEST(TopTable, TextsAreAsWideAsATerminalShowsThem) {
  EXPECT_EQ(shown_width("abc"), 3U);
  EXPECT_EQ(shown_width("Größe"), 5U);
  EXPECT_EQ(shown_width("日本"), 4U);
}

TEST(TopTable, TextsFitExactly) {
  EXPECT_EQ(fitted("abc", 5), "abc  ");
  EXPECT_EQ(fitted("abc", 5, true), "  abc");
  EXPECT_EQ(fitted("abcdef", 4), "abc+");
  // Half of a wide character is none.
  EXPECT_EQ(fitted("日本語", 4), "日+ ");
  EXPECT_EQ(fitted("abc", 0), "");
  for (std::size_t width = 0; width < 12; ++width)
    for (const char* text : {"", "plain text", "日本語日本語", "a\xff\xfe!", "Größe ist relativ"})
      EXPECT_EQ(shown_width(fitted(text, width)), width) << text;
}

TEST(TopTable, LinesNeverExceedTheTerminal) {
  const TopTable table =
      table_of({{std::string(100, 'a'), "RUNNING", "123456", std::string(90, 'd')},
                {"x", "PENDING", "7", "y"}});
  for (std::size_t width = 1; width < 300; ++width) {
    const auto widths = column_widths(table, width);
    std::size_t sum = 0;
    for (const std::size_t one : widths) sum += one > 0 ? one + 1 : 0;
    // The first column is always there, and cut at the edge.
    if (width >= 10) {
      EXPECT_LE(sum, width + 1) << width;
    }
    EXPECT_GT(widths[0], 0U);
  }
}

TEST(TopTable, EveryWordOfAFilterCounts) {
  TopTable table = table_of({{"Train", "RUNNING", "1", ""}, {"train", "PENDING", "2", ""}});
  keep_rows(table, "  TRAIN pend ");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].cells[1], "PENDING");
}

TEST(TopTable, NumbersAreSortedAsNumbers) {
  TopTable table = table_of({{"a", "", "10", ""}, {"b", "", "9", ""}});
  table.rows[0].values[2] = 10;
  table.rows[1].values[2] = 9;
  sort_rows(table, 2, SortOrder::kRising);
  EXPECT_EQ(table.rows[0].cells[0], "b");
  sort_rows(table, 99, SortOrder::kRising);
}

TEST(TopTable, OddAnswersAreEmptyTables) {
  EXPECT_TRUE(pool_view_table("").rows.empty());
  EXPECT_TRUE(chain_view_table("{\"chains\": 3}").rows.empty());
  EXPECT_EQ(pool_view_table("{\"pools\": [{}]}").rows.size(), 1U);
  EXPECT_TRUE(queue_view_table({}, Instant{}).rows.empty());
}

TEST(TopViews, EveryPoolHasAKeyOfItsOwn) {
  const TopTable table = pool_view_table(
      R"({"pools":[{"account":"a","qos":"q","device":"gpu","now":1},)"
      R"({"account":"a","qos":"q","device":"cpu","now":2},{"account":"a","qos":"r","device":"cpu","now":3}]})");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_NE(table.rows[0].key, table.rows[1].key);
  EXPECT_NE(table.rows[1].key, table.rows[2].key);
  EXPECT_EQ(table.rows[0].cancels, "");
}

TEST(TopViews, TotalsOfOneAreInTheSingular) {
  EXPECT_EQ(pool_view_table(R"({"pools":[{"now_jointly":1}]})").totals,
            "1 pool; together 1 task fits now");
  EXPECT_EQ(pool_view_table(R"({"pools":[{"now_jointly":1},{"now_jointly":2}]})").totals,
            "2 pools; together 3 tasks fit now");
  EXPECT_EQ(node_view_table({NodeLine{}}).totals, "1 node, 0 of 0 CPUs in use");
}

TEST(TopViews, OfAnArrayTheTasksThatWaitAreCancelledAlone) {
  QueueLine task;
  task.id = "12_3";
  task.job = JobId(13);
  task.array = JobId(12);
  task.task = 3;
  task.state = JobState::kRunning;
  task.running = 1;
  QueueLine rest = task;
  rest.id = "12_[4-9%2]";
  rest.task.reset();
  rest.tasks = rest.waiting = 6;
  rest.running = 0;
  rest.state = JobState::kPending;
  QueueLine ended = task;
  ended.id = "12_2";
  ended.task = 2;
  ended.state = JobState::kCompleted;
  const TopTable folded = queue_view_table({rest}, Instant{});
  EXPECT_EQ(folded.rows[0].opens, RowOpens::kTasks);
  EXPECT_EQ(folded.rows[0].cancels, "12");
  const TopTable table = task_view_table({task, rest, ended}, Instant{});
  EXPECT_EQ(table.rows[0].cancels, "12_3");
  EXPECT_EQ(table.rows[1].cancels, "12_[4-9]");
  EXPECT_EQ(table.rows[2].cancels, "");
  for (const TopRow& row : table.rows) EXPECT_EQ(row.opens, RowOpens::kJob);
}

}  // namespace
}  // namespace sluice
