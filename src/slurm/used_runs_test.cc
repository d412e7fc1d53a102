// What sacct and sshare of 22.05.8 print, read.
#include "slurm/used_runs.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(UsedRuns, ReadsRunsAndLeavesOutWhatNeverStarted) {
  const auto runs = parse_used_runs(
      "ada\x1fphysics\x1fnormal\x1f"
      "1000\x1f"
      "4600\x1f"
      "billing=6,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=1.50G,node=1\n"
      "ben\x1fphysics\x1fhigh\x1f"
      "2000\x1fUnknown\x1f"
      "billing=1,cpu=1,mem=500M,node=1\n"
      "ben\x1fphysics\x1fhigh\x1fUnknown\x1fUnknown\x1f\n"
      "cut off");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].cpus, 4);
  EXPECT_EQ(runs[0].gpus, 2);
  EXPECT_EQ(runs[0].memory_mb, 1536);
  EXPECT_EQ(runs[0].billing, 6);
  EXPECT_EQ(runs[0].ended, instant_at(seconds(4600)));
  EXPECT_FALSE(runs[1].ended);
}

TEST(DueShares, BlanksBeforeANameAreItsDepth) {
  const auto rows = parse_due_shares(
      "root||\n root|root|1\n science||60\n  physics||40\n   physics|ada|parent\n teaching||40\n");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].parent, "");
  EXPECT_EQ(rows[1].parent, "root");
  EXPECT_EQ(rows[3].parent, "science");
  EXPECT_EQ(rows[4].parent, "physics");
  EXPECT_TRUE(rows[4].shares_of_parent);
  EXPECT_EQ(rows[5].parent, "root");
  EXPECT_EQ(rows[5].shares, 40);
}

}  // namespace
}  // namespace sluice
