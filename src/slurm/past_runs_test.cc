#include "slurm/past_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice {
namespace {

TEST(PastRuns, WhatCompletedAndWhetherItHeldGpus) {
  const auto runs = parse_past_runs(
      "COMPLETED\x1f"
      "61\x1f"
      "billing=8,cpu=8,gres/gpu:b200=2,gres/gpu=2,mem=1G,node=1\n"
      "COMPLETED\x1f"
      "600\x1f"
      "billing=8,cpu=8,mem=1G,node=1\n"
      "FAILED\x1f"
      "5\x1f"
      "cpu=8\n"
      "COMPLETED\x1fsoon\x1f"
      "cpu=8\n"
      "a name with a\nnewline\n");
  EXPECT_EQ(runs, (std::vector<PastRun>{{2, seconds(61)}, {0, seconds(600)}}));
}

TEST(PastRuns, ANameStaysOneWord) {
  const auto argv = past_runs_command("--state=x y", instant_at(seconds(1000)));
  EXPECT_NE(std::find(argv.begin(), argv.end(), "--name=--state=x y"), argv.end());
}

}  // namespace
}  // namespace sluice
