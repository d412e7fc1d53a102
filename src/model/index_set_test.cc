// Index sets hold what was put in and nothing else.
#include "model/index_set.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(IndexSet, RangesWithStepsAndSingleIndicesMerge) {
  IndexSet set;
  set.insert_range(0, 8, 4);
  set.insert(4);
  set.insert(100);
  EXPECT_EQ(set.to_vector(), (std::vector<std::uint32_t>{0, 4, 8, 100}));
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.last(), 100u);
}

TEST(IndexSet, TakingTheFirstAgainAndAgainVisitsAllInOrder) {
  IndexSet set;
  set.insert_range(3, 1000, 7);
  std::vector<std::uint32_t> seen;
  while (auto next = set.first()) {
    seen.push_back(*next);
    set.erase(*next);
    if (seen.size() == 5) set.insert(1);
  }
  EXPECT_EQ(seen[5], 1u);
  EXPECT_EQ(seen.size(), 144u);
  EXPECT_TRUE(set.empty());
}

TEST(IndexSet, FirstFromSkipsSmallerMembers) {
  IndexSet set;
  set.insert(5);
  set.insert(70);
  EXPECT_EQ(set.first(5), 5u);
  EXPECT_EQ(set.first(6), 70u);
  EXPECT_EQ(set.first(71), std::nullopt);
  EXPECT_EQ(set.first(), 5u);
}

TEST(IndexSet, EqualityIgnoresHowTheSetWasMade) {
  IndexSet a;
  a.insert_range(0, 10);
  IndexSet b;
  b.insert(500);
  b.insert_range(0, 10);
  EXPECT_NE(a, b);
  b.erase(500);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace sluice
