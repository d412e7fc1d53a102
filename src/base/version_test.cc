// What other programs may expect of the version string.
#include "base/version.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice {
namespace {

TEST(Version, IsThreeNumbersSeparatedByDots) {
  EXPECT_EQ(std::count(kVersion.begin(), kVersion.end(), '.'), 2);
  EXPECT_EQ(kVersion.find_first_not_of("0123456789."), std::string_view::npos);
}

}  // namespace
}  // namespace sluice
