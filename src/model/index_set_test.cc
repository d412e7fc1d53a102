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

TEST(IndexSet, CopiesShareNothingThatChanges) {
  IndexSet a;
  a.insert_range(0, 999);
  IndexSet b = a;
  b.erase(5);
  EXPECT_TRUE(a.contains(5));
  EXPECT_FALSE(b.contains(5));
  IndexSet c = a;
  a.insert(2000);
  EXPECT_FALSE(c.contains(2000));
  EXPECT_EQ(c.size(), 1000U);
}

TEST(IndexSet, TakesManyAtOnce) {
  IndexSet all;
  all.insert_range(0, 999);
  IndexSet thirds;
  thirds.insert_range(0, 1200, 3);
  const IndexSet common = all.common_with(thirds);
  EXPECT_EQ(common.size(), 334U);
  EXPECT_TRUE(all.contains_all(common));
  EXPECT_FALSE(all.contains_all(thirds));
  all.erase_all(thirds);
  EXPECT_EQ(all.size(), 666U);
  EXPECT_EQ(all.first(), 1U);
  EXPECT_EQ(all.first_absent(1), 3U);
  EXPECT_EQ(IndexSet().first_absent(7), 7U);
  all.insert_range(0, 999);
  EXPECT_EQ(all.size(), 1000U);
  EXPECT_EQ(all.first_absent(0), 1000U);
  EXPECT_TRUE(IndexSet().common_with(all).empty());
}

TEST(IndexSet, FindsTheRunThatBeginsWithAMember) {
  IndexSet set;
  set.insert_range(3, 300);
  set.insert_range(310, 400, 10);
  set.insert(401);
  EXPECT_EQ(set.run_from(3).last, 300U);
  EXPECT_EQ(set.run_from(3).more(), 297U);
  EXPECT_EQ(set.run_from(300).last, 400U);
  EXPECT_EQ(set.run_from(300).step, 10U);
  EXPECT_EQ(set.run_from(400).last, 401U);
  EXPECT_EQ(set.run_from(401).more(), 0U);
}

// A word at a time finds what one at a time would.
TEST(IndexSet, FindsRunsOfAnyStepAcrossWords) {
  for (std::uint32_t step = 1; step <= 130; ++step) {
    for (const std::uint32_t first : {0U, 1U, 63U, 64U, 100U}) {
      IndexSet set;
      const std::uint32_t last = first + step * 300;
      set.insert_range(first, last, step);
      EXPECT_EQ(set.run_from(first).last, last) << step;
      EXPECT_EQ(set.run_from(first).step, step);
      set.insert(last + step + 1);
      EXPECT_EQ(set.run_from(first).last, last) << step;
      if (step == 1) continue;
      // Something between two of them, early and late.
      for (const std::uint32_t nth : {3U, 150U, 299U}) {
        IndexSet broken = set;
        broken.insert(first + step * nth + 1);
        EXPECT_EQ(broken.run_from(first).last, first + step * nth) << step << " " << nth;
        broken = set;
        broken.erase(first + step * nth);
        EXPECT_EQ(broken.run_from(first).last, first + step * (nth - 1)) << step << " " << nth;
      }
    }
  }
}

}  // namespace
}  // namespace sluice
