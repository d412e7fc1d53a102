// A submission as a person would type it.
#include "pools/submit_line.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

JobSpec job() {
  JobSpec spec;
  spec.name = "align";
  spec.launch.script = "#!/bin/sh\ntrue\n";
  spec.launch.command = "/home/ann/align.sh";
  return spec;
}

TEST(SubmitLine, NamesTheScriptAndNoneOfTheProgramsOwnMarks) {
  const std::string line = submit_line(job(), true);
  EXPECT_TRUE(line.starts_with("sbatch ")) << line;
  EXPECT_TRUE(line.ends_with(" /home/ann/align.sh")) << line;
  EXPECT_NE(line.find("--job-name=align"), std::string::npos) << line;
  EXPECT_EQ(line.find("--parsable"), std::string::npos) << line;
  EXPECT_EQ(line.find("KEY"), std::string::npos) << line;
}

TEST(SubmitLine, OnThisMachineItIsTheProgramItself) {
  JobSpec spec = job();
  spec.launch.capture = true;
  const std::string line = submit_line(spec, false);
  EXPECT_TRUE(line.starts_with("sluice submit --capture ")) << line;
}

TEST(SubmitLine, WhatWouldHaveItRoutedAgainIsLeftOut) {
  JobSpec spec = job();
  spec.launch.script = "#!/bin/sh\n#SLUICE --device=any\ntrue\n";
  EXPECT_NE(submit_line(spec, false).find(" --as-is "), std::string::npos);
  EXPECT_EQ(submit_line(spec, true).find("--as-is"), std::string::npos) << "sbatch routes nothing";
}

TEST(SubmitLine, AScriptWithoutAFileIsPiped) {
  JobSpec spec = job();
  spec.launch.command = "align.sh";
  EXPECT_TRUE(submit_line(spec, true).starts_with("printf %s ")) << submit_line(spec, true);
}

}  // namespace
}  // namespace sluice
