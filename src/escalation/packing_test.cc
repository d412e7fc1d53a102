// Large arrays in pieces that sbatch takes.
#include "escalation/packing.h"

#include <gtest/gtest.h>

#include "text/array_spec.h"

namespace sluice {
namespace {

TEST(Packing, GoesBeyondMaxArraySizeByOffset) {
  IndexSet tasks;
  tasks.insert_range(0, 2500);
  const auto packs = pack(tasks, {1001, 4096, std::nullopt});
  ASSERT_EQ(packs.size(), 3U);
  EXPECT_EQ(packs[0].offset, 0U);
  EXPECT_EQ(compress_indices(packs[0].tasks), "0-1000");
  EXPECT_EQ(packs[1].offset, 1001U);
  EXPECT_EQ(compress_indices(shifted_down(packs[1].tasks, 1001)), "0-1000");
  EXPECT_EQ(compress_indices(packs[2].tasks), "2002-2500");
}

TEST(Packing, LeavesForLaterWhatMayNotBeSubmittedNow) {
  IndexSet tasks;
  tasks.insert_range(0, 99);
  EXPECT_TRUE(pack(tasks, {1001, 4096, 0}).empty());
  const auto some = pack(tasks, {1001, 4096, 30});
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(compress_indices(some[0].tasks), "0-29");
}

TEST(Packing, SplitsWhatHasNoPattern) {
  IndexSet tasks;
  std::uint32_t value = 1;
  for (int i = 0; i < 4000; ++i) {
    value = (value * 1103515245U + 12345U) & 0x7fffffffU;
    tasks.insert(value % 100'000);
  }
  IndexSet all;
  std::size_t count = 0;
  for (const Pack& one : pack(tasks, {100'001, 4096, std::nullopt})) {
    EXPECT_LE(compress_indices(one.tasks).size(), 4096U);
    for (const std::uint32_t index : one.tasks.to_vector()) all.insert(index);
    count += one.tasks.size();
  }
  EXPECT_EQ(all, tasks);
  EXPECT_EQ(count, tasks.size());
}

}  // namespace
}  // namespace sluice
