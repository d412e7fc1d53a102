#include "policy/start_bounds.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

StartBounds::Request asking(std::int32_t tasks, std::int32_t nodes, int limit) {
  return {PartitionId(0), 1, nodes, tasks, minutes(limit)};
}

constexpr Instant at(int minute) { return instant_at(minutes(minute)); }

TEST(StartBounds, HoldForThoseThatAskForAsMuchAndAsLong) {
  StartBounds bounds;
  bounds.add(asking(8, 2, 60), {at(10), 7});
  EXPECT_EQ(bounds.find(asking(8, 2, 60)).time, at(10));
  EXPECT_EQ(bounds.find(asking(9, 3, 90)).time, at(10));
  EXPECT_EQ(bounds.find(asking(9, 3, 90)).most_tasks, 7);
  EXPECT_EQ(bounds.find(asking(7, 2, 60)).time, Instant::min());
  EXPECT_EQ(bounds.find(asking(8, 1, 60)).time, Instant::min());
  EXPECT_EQ(bounds.find(asking(8, 2, 59)).time, Instant::min());
}

TEST(StartBounds, TheLatestHolds) {
  StartBounds bounds;
  bounds.add(asking(8, 1, 60), {at(30), 0});
  bounds.add(asking(4, 1, 60), {at(20), 0});
  EXPECT_EQ(bounds.find(asking(8, 1, 60)).time, at(30));
  EXPECT_EQ(bounds.find(asking(6, 1, 60)).time, at(20));
  bounds.add(asking(2, 1, 30), {at(40), 0});
  EXPECT_EQ(bounds.find(asking(8, 1, 60)).time, at(40));
}

TEST(StartBounds, SayNothingOfOtherKindsAndPartitions) {
  StartBounds bounds;
  bounds.add(asking(8, 2, 60), {at(10), 0});
  StartBounds::Request other = asking(8, 2, 60);
  other.kind = 2;
  EXPECT_EQ(bounds.find(other).time, Instant::min());
  other = asking(8, 2, 60);
  other.partition = PartitionId(1);
  EXPECT_EQ(bounds.find(other).time, Instant::min());
}

TEST(StartBounds, AreForgotten) {
  StartBounds bounds;
  bounds.add(asking(8, 2, 60), {at(10), 0});
  bounds.clear();
  EXPECT_EQ(bounds.find(asking(8, 2, 60)).time, Instant::min());
}

}  // namespace
}  // namespace sluice
