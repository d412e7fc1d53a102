#include "base/check.h"

#include <gtest/gtest.h>

#include <string>

#include "base/checks_throw.h"

namespace sluice {
namespace {

std::string said_of(bool holds) {
  try {
    CHECK(holds, "jobs have numbers");
  } catch (const BrokenCheck& broken) {
    return broken.what();
  }
  return "";
}

TEST(Check, WhatHoldsGoesOn) {
  const ChecksThrow throws;
  EXPECT_EQ(said_of(true), "");
}

TEST(Check, WhereChecksThrowTheSentenceComesBack) {
  const ChecksThrow throws;
  EXPECT_EQ(said_of(false), "jobs have numbers");
  try {
    CHECK(1 + 1 == 3);
    FAIL() << "did not throw";
  } catch (const BrokenCheck& broken) {
    EXPECT_STREQ(broken.what(), "1 + 1 == 3");
  }
}

TEST(Check, AnInnerScopeEndsNotTheOuterOne) {
  const ChecksThrow outer;
  { const ChecksThrow inner; }
  EXPECT_EQ(said_of(false), "jobs have numbers");
}

TEST(CheckDeathTest, ElsewhereTheProcessEndsAndSaysWhereAndWhy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      said_of(false),
      "sluice: internal error: .*check_test.cc:[0-9]+: holds does not hold: jobs have numbers");
  // Nothing is left of scopes that have ended.
  EXPECT_DEATH(
      {
        { const ChecksThrow over; }
        said_of(false);
      },
      "does not hold");
}

}  // namespace
}  // namespace sluice
