// Which variables a job gets.
#include "text/export_mode.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string job_environment(std::string_view text) {
  const std::vector<EnvironmentVariable> caller{{"HOME", "/h"}, {"A", "old"}, {"SLURM_X", "1"}};
  std::string out;
  for (const EnvironmentVariable& v : exported(parse_export(text).value(), caller))
    out += v.name + "=" + v.value + " ";
  return out;
}

TEST(ExportMode, TakesAllNoneOrNames) {
  EXPECT_EQ(job_environment("ALL"), "HOME=/h A=old SLURM_X=1 ");
  EXPECT_EQ(job_environment("all"), "HOME=/h A=old SLURM_X=1 ");
  EXPECT_EQ(job_environment("NONE"), "SLURM_X=1 ");
  EXPECT_EQ(job_environment("HOME"), "HOME=/h SLURM_X=1 ");
  EXPECT_EQ(job_environment("MISSING"), "SLURM_X=1 ");
  EXPECT_EQ(job_environment("A=new,B=2"), "A=new B=2 SLURM_X=1 ");
  EXPECT_EQ(job_environment("ALL,A=new"), "HOME=/h A=new SLURM_X=1 ");
}

TEST(ExportMode, SplitsValuesAtCommasUnlessQuoted) {
  EXPECT_EQ(job_environment("A=1,2"), "A=1 SLURM_X=1 ");
  EXPECT_EQ(job_environment("A='1,2',B=\"x y\""), "A=1,2 B=x y SLURM_X=1 ");
  EXPECT_EQ(job_environment("A=b=c"), "A=b=c SLURM_X=1 ");
  EXPECT_FALSE(parse_export("=1"));
}

}  // namespace
}  // namespace sluice
