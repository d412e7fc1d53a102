#include "text/plural.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Plural, OneThingIsInTheSingularAndThousandsHaveCommas) {
  EXPECT_EQ(plural(0, "error"), "0 errors");
  EXPECT_EQ(plural(1, "error"), "1 error");
  EXPECT_EQ(plural(96911, "job"), "96,911 jobs");
}

}  // namespace
}  // namespace sluice
