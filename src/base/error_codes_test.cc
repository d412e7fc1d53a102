#include "base/error_codes.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(ErrorCodes, EveryKindHasItsExitCodeAndStatus) {
  EXPECT_EQ(codes_of(ErrorKind::kBadInput).exit_code, 2);
  EXPECT_EQ(codes_of(ErrorKind::kBadInput).http_status, 400);
  EXPECT_EQ(codes_of(ErrorKind::kNotAllowed).exit_code, 77);
  EXPECT_EQ(codes_of(ErrorKind::kNotAllowed).http_status, 403);
  EXPECT_EQ(codes_of(ErrorKind::kNoCapacity).exit_code, 75);
  EXPECT_EQ(codes_of(ErrorKind::kNoCapacity).http_status, 503);
}

TEST(ErrorCodes, AnExitCodeLeadsBackToItsKind) {
  for (const ErrorCodes& row : kErrorCodes) EXPECT_EQ(kind_of_exit_code(row.exit_code), row.kind);
  EXPECT_EQ(kind_of_exit_code(3), ErrorKind::kFailed);
}

}  // namespace
}  // namespace sluice
