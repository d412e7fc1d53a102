// Made-up workloads are the same everywhere, and look like real ones.
#include "sim/workloads/generated.h"

#include <gtest/gtest.h>

#include "sim/digest.h"
#include "sim/workloads/swf.h"

namespace sluice {
namespace {

TEST(Generated, IsTheSameForEver) {
  // A change here changes every figure that was ever published for a generated workload.
  Digest digest;
  digest.add(write_swf(generate(parse_generator("jobs=1000,users=20,seed=7").value())));
  EXPECT_EQ(digest.value(), 16172662795026372683U);
}

TEST(Generated, HasTheLoadThatWasAskedFor) {
  const Workload workload =
      generate(parse_generator("jobs=20000,users=50,cpus=256,load=0.6").value());
  std::int64_t work = 0;
  for (const WorkItem& item : workload.items) {
    const WorkRequest& request = workload.request_of(item);
    EXPECT_LE(request.cpus, 128);
    work += to_seconds(std::min(item.run, request.limit)) * request.cpus;
  }
  const std::int64_t span = to_seconds(workload.items.back().submit);
  EXPECT_NEAR(static_cast<double>(work) / static_cast<double>(span * 256), 0.6, 0.01);
}

TEST(Generated, FollowsTheHoursOfTheDay) {
  const Workload workload = generate(parse_generator("jobs=20000,users=50").value());
  std::size_t at_night = 0;
  std::size_t by_day = 0;
  for (const WorkItem& item : workload.items) {
    const std::int64_t hour = to_seconds(item.submit) / 3600 % 24;
    at_night += hour >= 2 && hour < 6 ? 1 : 0;
    by_day += hour >= 13 && hour < 17 ? 1 : 0;
  }
  EXPECT_GT(by_day, 4 * at_night);
}

TEST(Generated, SettingsAreCheckedByName) {
  EXPECT_EQ(parse_generator("load=.75").value().load_permille, 750);
  EXPECT_EQ(parse_generator("load=1").value().load_permille, 1000);
  EXPECT_FALSE(parse_generator("jobs=0"));
  EXPECT_FALSE(parse_generator("load=much"));
  EXPECT_FALSE(parse_generator("frobs=1"));
  EXPECT_FALSE(parse_generator("jobs"));
}

}  // namespace
}  // namespace sluice
