#include "system/oom_kills.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(OomKills, TheCountIsThatOfTheMemoryControllerOrOfTheOneHierarchy) {
  EXPECT_EQ(oom_file("5:cpu:/a\n4:memory:/sluice/12\n0::/b\n"),
            "/sys/fs/cgroup/memory/sluice/12/memory.oom_control");
  EXPECT_EQ(oom_file("0::/user.slice/job\n"), "/sys/fs/cgroup/user.slice/job/memory.events");
  EXPECT_EQ(oom_file("5:cpu:/a\n"), "");
  EXPECT_EQ(oom_file(""), "");
}

}  // namespace
}  // namespace sluice
