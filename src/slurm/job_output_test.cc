#include "slurm/job_output.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr const char* kTitles = "JOBID\037STATE\037STDOUT\037JOBID\037STDERR\037JOBID\036\n";

TEST(JobOutput, APathMayHoldWhatSqueueWritesBetweenFields) {
  const auto found =
      parse_job_output(std::string(kTitles) +
                       "5\037RUNNING\037/home/ann/a\037b\0366.out\0375\037/home/ann/e\0375\036\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stdout_path, "/home/ann/a\037b\0366.out");
  EXPECT_EQ(found->stderr_path, "/home/ann/e");
  EXPECT_TRUE(found->has_started);
}

TEST(JobOutput, AJobThatWaitsHasWrittenNothingAndOneThatIsForgottenIsNotThere) {
  const auto waits = parse_job_output(std::string(kTitles) +
                                      "5\037PENDING\037/home/ann/o\0375\037/home/ann/o\0375\036\n");
  ASSERT_TRUE(waits);
  EXPECT_FALSE(waits->has_started);
  EXPECT_FALSE(parse_job_output(kTitles));
  EXPECT_FALSE(parse_job_output(""));
}

}  // namespace
}  // namespace sluice
