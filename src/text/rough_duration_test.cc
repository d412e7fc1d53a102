#include "text/rough_duration.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(RoughDuration, HasNoMilliseconds) {
  EXPECT_EQ(format_rough_duration(Duration(0)), "0s");
  EXPECT_EQ(format_rough_duration(Duration(350)), "350ms");
  EXPECT_EQ(format_rough_duration(Duration(4057)), "4.0s");
  EXPECT_EQ(format_rough_duration(Duration(9999)), "9.9s");
  EXPECT_EQ(format_rough_duration(Duration(123'456)), "2m3s");
}

}  // namespace
}  // namespace sluice
