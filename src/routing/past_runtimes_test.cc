#include "routing/past_runtimes.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice {
namespace {

TEST(PastRuntimes, TheMedianOfEachDevice) {
  const std::vector<PastRun> runs = {{1, minutes(20)},  {1, minutes(22)},  {2, minutes(900)},
                                     {0, minutes(282)}, {0, minutes(280)}, {0, minutes(290)}};
  const PastRuntimes known = past_runtimes(runs);
  EXPECT_EQ(known.gpu, (PastRuntime{minutes(22), 3}));
  EXPECT_EQ(known.cpu, (PastRuntime{minutes(282), 3}));
}

TEST(PastRuntimes, TwoSayLittle) {
  const std::vector<PastRun> runs = {{1, minutes(20)}, {1, minutes(22)}};
  EXPECT_FALSE(past_runtimes(runs).gpu);
  EXPECT_FALSE(past_runtimes(runs).cpu);
}

TEST(PastRuntimes, ATaskTakesSomeTime) {
  const std::vector<PastRun> runs(3, PastRun{0, Duration(0)});
  EXPECT_EQ(past_runtimes(runs).cpu->median, seconds(1));
}

}  // namespace
}  // namespace sluice
