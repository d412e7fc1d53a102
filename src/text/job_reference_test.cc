#include "text/job_reference.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string through(std::string_view text) {
  const auto read = parse_job_reference(text);
  return read ? format_job_reference(*read) : "refused";
}

TEST(JobReference, NamesAJobATaskOrSeveral) {
  EXPECT_EQ(through("12"), "12");
  EXPECT_EQ(through("12_3"), "12_3");
  EXPECT_EQ(through("12_[1-5,7]"), "12_[1-5,7]");
  EXPECT_EQ(through("12_[4]"), "12_4");
  EXPECT_EQ(through("12_*"), "12");
}

TEST(JobReference, RefusesEverythingElse) {
  for (const char* text : {"", "0", "x", "12_", "_3", "12_[]", "12_1-5", "12_[1%2]", "12_[a]",
                           "12_3_4", "-1", "4294967296", "12 "})
    EXPECT_EQ(through(text), "refused") << text;
}

}  // namespace
}  // namespace sluice
