#include "cli/table.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Table table() {
  return Table(
      {{"JOB", Align::kLeft, false}, {"CPUS", Align::kRight, false}, {"WHY", Align::kLeft, true}});
}

TEST(Table, IsAsWideAsWhatStandsInIt) {
  Table it = table();
  it.add({"1", "2", "because"});
  it.add({"1000", "2", "because"});
  it.add({"é", "16", ""});
  EXPECT_EQ(it.text({}),
            "JOB   CPUS  WHY\n"
            "1        2  because\n"
            "1000     2  because\n"
            "é       16\n");
}

TEST(Table, LeavesOutWhatIsEmptyAndWhatItIsTold) {
  Table it = table();
  it.add({"1", "2", ""});
  EXPECT_EQ(it.text({}), "JOB  CPUS\n1       2\n");
  it.leave_out({"JOB"});
  EXPECT_EQ(it.text({}), "CPUS\n   2\n");
}

TEST(Table, CutsWhatMayShrink) {
  Table it = table();
  it.add({"1", "2", "for a very long reason"});
  EXPECT_EQ(it.text({20, false}), "JOB  CPUS  WHY\n1       2  for a ve…\n");
}

TEST(Table, LeavesOutColumnsByTheirRankAndNamesThem) {
  Table it({{"JOB", Align::kLeft, false},
            {"NAME", Align::kLeft, false, Narrow::kGoesLast},
            {"LIMIT", Align::kRight, false, Narrow::kGoesFirst},
            {"WHY", Align::kLeft, false, Narrow::kWraps}});
  it.add({"1", "first", "1:00", "held"});
  EXPECT_EQ(it.text({25, false}), "JOB  NAME   LIMIT  WHY\n1    first   1:00  held\n");
  EXPECT_EQ(it.text({20, false}),
            "JOB  NAME   WHY\n1    first  held\nLeft out to fit 20 columns: LIMIT\n");
  EXPECT_EQ(it.text({10, false}), "JOB  WHY\n1    held\nLeft out to fit 10 columns: NAME, LIMIT\n");
}

TEST(Table, ALongReasonIsNeverCut) {
  Table it({{"JOB", Align::kLeft, false}, {"WHY", Align::kLeft, true, Narrow::kWraps}});
  it.add({"1", "QOSMaxGRESPerUser (4 gres/gpu at most = 4 used + 1 asked)"});
  EXPECT_EQ(it.text({40, false}),
            "JOB  WHY\n"
            "1    QOSMaxGRESPerUser (4 gres/gpu at\n"
            "     most = 4 used + 1 asked)\n");
  EXPECT_EQ(it.text({}),
            "JOB  WHY\n1    QOSMaxGRESPerUser (4 gres/gpu at most = 4 used + 1 asked)\n");
}

TEST(Table, ALongNameGivesWayBeforeTheReason) {
  Table it({{"NAME", Align::kLeft, true}, {"WHY", Align::kLeft, true, Narrow::kWraps}});
  it.add(
      {"a-name-that-would-fill-the-whole-line", "QOSMaxGRESPerUser (4 at most, 4 used + 1 asked)"});
  EXPECT_EQ(it.text({44, false}),
            "NAME    WHY\n"
            "a-nam…  QOSMaxGRESPerUser (4 at most, 4 used\n"
            "        + 1 asked)\n");
}

TEST(Table, RowsThatDifferInTheirFirstCellLookLikeAnyOther) {
  Table it = table();
  it.add({"1", "2", "x"});
  it.add_alike("22");
  it.add_alike("3333");
  it.add({"4", "2", ""});
  it.add_alike("5");
  EXPECT_EQ(it.text({}),
            "JOB   CPUS  WHY\n"
            "1        2  x\n"
            "22       2  x\n"
            "3333     2  x\n"
            "4        2\n"
            "5        2\n");
  it.leave_out({"CPUS"});
  EXPECT_EQ(it.text({}), "JOB   WHY\n1     x\n22    x\n3333  x\n4\n5\n");
  it.leave_out({"JOB"});
  EXPECT_EQ(it.text({}), "WHY\nx\nx\nx\n\n\n");
}

TEST(Table, ExpandsASeries) {
  Table it = table();
  it.add({"1", "2", "x"});
  IndexSet indices;
  indices.insert_range(8, 12, 2);
  it.add_series("7_", indices);
  it.add({"7_[8-12:2]", "4", "y"});
  it.add({"9", "4", "z"});
  EXPECT_EQ(it.text({}),
            "JOB         CPUS  WHY\n"
            "1              2  x\n"
            "7_8            4  y\n"
            "7_10           4  y\n"
            "7_12           4  y\n"
            "9              4  z\n");
}

TEST(TableTest, NothingInACellIsObeyedByATerminal) {
  Table it({{"NAME", Align::kLeft, false}, {"USER", Align::kLeft, false}});
  it.add({"a\x1b[2Jb\u202ec", "Zoë"});
  const std::string text = it.text(Display{});
  EXPECT_NE(text.find("a\\x1b[2Jb\\xe2\\x80\\xaec  Zoë"), std::string::npos) << text;
}

}  // namespace
}  // namespace sluice
