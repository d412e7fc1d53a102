#include "state/past_table.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

PastUsage used(double amount) {
  PastUsage more;
  more.billing_seconds = amount;
  more.wall_seconds = amount / 3;
  for (std::size_t i = 0; i < 5; ++i) more.tres_seconds[i] = amount * static_cast<double>(i);
  return more;
}

// What is said of every number: the same bits as if all of them were multiplied at once.
TEST(PastTable, GivesTheSameBitsWheneverARowIsLookedAt) {
  // Most are not looked at for long; one has used nothing.
  std::vector<PastUsage> naive(9);
  for (std::size_t i = 0; i < 8; ++i) naive[i] = used(static_cast<double>(i) + 0.7);
  PastTable table(naive, 5);
  for (int step = 0; step < 1000; ++step) {
    const double kept = 1 - 1.0 / (3 + step);
    table.shrink(kept);
    for (PastUsage& row : naive) {
      row.billing_seconds *= kept;
      row.wall_seconds *= kept;
      for (double& tres : row.tres_seconds) tres *= kept;
    }
    if (step % 7 == 0) {
      const PastUsage more = used(step + 0.1);
      const auto whose = static_cast<std::size_t>(step < 500 ? step % 2 : step % 5);
      table.add(whose, more);
      PastUsage& row = naive[whose];
      row.billing_seconds += more.billing_seconds;
      row.wall_seconds += more.wall_seconds;
      for (std::size_t i = 0; i < 5; ++i) row.tres_seconds[i] += more.tres_seconds[i];
    }
    if (step % 50 == 0) {
      ASSERT_EQ(table.at(0), naive[0]) << step;
    }
    ASSERT_EQ(table.billing_seconds()[1], naive[1].billing_seconds) << step;
  }
  EXPECT_EQ(table.all(), naive);
  table.clear();
  EXPECT_EQ(table.all(), std::vector<PastUsage>(9));
}

}  // namespace
}  // namespace sluice
