// Written as Slurm writes them, and read back.
#include "text/counts_per_node.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(CountsPerNode, EqualNeighboursAreWrittenTogether) {
  EXPECT_EQ(counts_per_node({2, 2, 2, 1}), "2(x3),1");
  EXPECT_EQ(counts_per_node({4}), "4");
  EXPECT_EQ(counts_per_node({}), "");
}

TEST(CountsPerNode, AreReadOneForEachNode) {
  EXPECT_EQ(parse_counts_per_node("4(x2),8"), (std::vector<std::int32_t>{4, 4, 8}));
  EXPECT_EQ(parse_counts_per_node("3"), (std::vector<std::int32_t>{3}));
  EXPECT_TRUE(parse_counts_per_node("").empty());
}

TEST(CountsPerNode, AnUnlikelyTextGivesNoEndlessList) {
  EXPECT_LE(parse_counts_per_node("1(x99999999999),1(x99999)").size(), 100'000U);
  EXPECT_EQ(parse_counts_per_node("x(x2"), (std::vector<std::int32_t>{0}));
}

}  // namespace
}  // namespace sluice
