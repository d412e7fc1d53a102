#include "policy/hopeless_requests.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// Each as a request of its own.
QueueEntry asking(std::int32_t cpus, std::int32_t nodes, int limit) {
  static std::uint32_t requests = 0;
  QueueEntry entry;
  entry.request = requests++;
  entry.kind = 1;
  entry.partition = PartitionId(0);
  entry.cpus = cpus;
  entry.min_nodes = nodes;
  entry.limit = minutes(limit);
  return entry;
}

TEST(HopelessRequests, CoverThoseForAsMuchAndAsLong) {
  HopelessRequests hopeless;
  hopeless.add(asking(8, 2, 60), std::nullopt);
  EXPECT_TRUE(hopeless.covers(asking(8, 2, 60)));
  EXPECT_TRUE(hopeless.covers(asking(9, 3, 90)));
  EXPECT_FALSE(hopeless.covers(asking(7, 2, 60)));
  EXPECT_FALSE(hopeless.covers(asking(8, 1, 60)));
  EXPECT_FALSE(hopeless.covers(asking(8, 2, 59)));
}

TEST(HopelessRequests, CoverFromSoManyCpusWhateverTheirNodes) {
  HopelessRequests hopeless;
  hopeless.add(asking(8, 2, 60), 5);
  EXPECT_TRUE(hopeless.covers(asking(8, 2, 60)));
  EXPECT_TRUE(hopeless.covers(asking(5, 1, 60)));
  EXPECT_FALSE(hopeless.covers(asking(4, 2, 60)));
  EXPECT_FALSE(hopeless.covers(asking(8, 2, 59)));
}

TEST(HopelessRequests, KnowNothingOfARequestOnceCleared) {
  HopelessRequests hopeless;
  const QueueEntry entry = asking(8, 2, 60);
  hopeless.add(entry, std::nullopt);
  EXPECT_TRUE(hopeless.covers(entry));
  EXPECT_TRUE(hopeless.covers(entry));
  hopeless.clear();
  hopeless.add(asking(9, 2, 60), std::nullopt);
  EXPECT_FALSE(hopeless.covers(entry));
}

// The limit of one job may be shorter than that of another with the same request.
TEST(HopelessRequests, AShorterJobOfTheSameRequestIsLookedAt) {
  HopelessRequests hopeless;
  QueueEntry entry = asking(8, 2, 60);
  hopeless.add(entry, std::nullopt);
  EXPECT_TRUE(hopeless.covers(entry));
  entry.limit = minutes(59);
  EXPECT_FALSE(hopeless.covers(entry));
}

}  // namespace
}  // namespace sluice
