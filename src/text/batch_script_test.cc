// #SBATCH lines, as `sbatch -vvv` says that it found them.
#include "text/batch_script.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string found(std::string_view script) {
  const auto directives = read_directives(script, "job.sh");
  if (!directives) return directives.error().what;
  std::string out;
  for (const std::string& argument : directives->arguments) out += "<" + argument + ">";
  return out;
}

TEST(Directives, EndAtTheFirstCommand) {
  EXPECT_EQ(found("#!/bin/sh\n#SBATCH -t 5\n#SBATCH --mem=4G -c 2\necho\n#SBATCH -n 3\n"),
            "<-t><5><--mem=4G><-c><2>");
  EXPECT_EQ(found("#!/bin/sh\n\n   \n#SBATCH -t 5\n\t\n# hi\n#SBATCH -c 4"), "<-t><5><-c><4>");
}

TEST(Directives, MustBeginTheLine) {
  EXPECT_EQ(found("#!/bin/sh\n #SBATCH -t 5\n# SBATCH -c 2\n##SBATCH -c 3\n#sbatch -n 1\n"), "");
  EXPECT_EQ(found("#!/bin/sh\n#SBATCH-n 3\n"), "<-n><3>");
}

TEST(Directives, MayEndInAComment) {
  EXPECT_EQ(found("#SBATCH -t 5 # five\n#SBATCH --comment=a#b -c 2\n#SBATCH -J \"a # b\"\n"),
            "<-t><5><--comment=a><-J><a # b>");
}

TEST(Directives, AreQuotedAsSbatchQuotes) {
  EXPECT_EQ(found("#SBATCH --comment=\"a b\" -J 'c \"d' --qos=x\"y z\"w\n"),
            "<--comment=a b><-J><c \"d><--qos=xy zw>");
  EXPECT_EQ(found("#SBATCH -p \"a\\\"b\" --wckey=c\\\\d --comment=e\\#f\n"),
            "<-p><a\"b><--wckey=c\\d><--comment=e#f>");
  EXPECT_EQ(found("#SBATCH --wckey=a\\ b\n"), "<--wckey=a><b>");
  EXPECT_EQ(found("#SBATCH --wckey=\"\" -p ''\n"), "<--wckey=><-p><>");
}

TEST(Directives, ErrorsNameTheLine) {
  EXPECT_EQ(found("#!/bin/sh\n#SBATCH --comment=\"a b\n"),
            "job.sh: line 2: Unmatched `\"` in [--comment=\"a b]");
  EXPECT_EQ(found("#!/bin/sh\n#SBATCH -t 5 : -t 6\n"),
            "job.sh: line 2: Unexpected `:` in [ : -t 6]");
  EXPECT_EQ(found("#!/bin/sh\n#SBATCH hetjob\n"), "job.sh: line 2: a heterogeneous job");
}

TEST(Directives, WarnAboutOtherMarks) {
  EXPECT_EQ(read_directives("#SLURM -t 5\n", "x").value().arguments.size(), 2U);
  EXPECT_EQ(read_directives("#SLURM -t 5\n#PBS -N x\n", "x").value().warnings.size(), 2U);
}

TEST(BatchScript, IsCheckedInSbatchsWords) {
  EXPECT_TRUE(check_batch_script("#!/bin/sh\n"));
  EXPECT_EQ(check_batch_script("").error().what, "Batch script is empty!");
  EXPECT_EQ(check_batch_script(" \n").error().what, "Batch script contains only whitespace!");
  EXPECT_FALSE(check_batch_script("echo\n"));
  EXPECT_FALSE(check_batch_script("#!/bin/sh\r\n"));
  EXPECT_FALSE(check_batch_script(std::string_view("#!/bin/sh\n\0", 11)));
}

TEST(BatchScript, WrapsACommand) {
  EXPECT_EQ(wrap_script("echo hi"),
            "#!/bin/sh\n# This script was created by sbatch --wrap.\n\necho hi\n");
}

}  // namespace
}  // namespace sluice
