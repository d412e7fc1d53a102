#include "text/leading_number.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(LeadingNumber, WhatStandsBehindTheDigitsIsNotLookedAt) {
  EXPECT_EQ(leading_number("12x"), 12);
  EXPECT_EQ(leading_number("  -5"), -5);
  EXPECT_EQ(leading_number("+7,8"), 7);
  EXPECT_EQ(leading_number("x"), 0);
  EXPECT_EQ(leading_number(""), 0);
  EXPECT_EQ(leading_number("99999999999999999999"), 999999999999999);
}

}  // namespace
}  // namespace sluice
