#include "text/last_lines.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(LastLines, AreSoManyAtTheEnd) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\n", 9), "a\nb\n");
  EXPECT_EQ(last_lines("a\nb\n", 0), "");
  EXPECT_EQ(last_lines("", 3), "");
}

}  // namespace
}  // namespace sluice
