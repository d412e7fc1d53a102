#include "text/printed_tres.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(PrintedTres, AmountsAreReadByTheirNames) {
  const PrintedTres seen =
      read_printed_tres("cpu=4,mem=8G,node=2,billing=9,gres/gpu=2,gres/gpu:a100=2");
  EXPECT_EQ(seen.cpus, 4);
  EXPECT_EQ(seen.memory_mb, 8192);
  EXPECT_EQ(seen.nodes, 2);
  EXPECT_EQ(seen.billing, 9);
  EXPECT_EQ(seen.gpus, 2);
  EXPECT_EQ(seen.gpu_type, "a100");
}

TEST(PrintedTres, WhereOnlyTypesOfGpusAreCountedTheirSumIsTheNumberOfGpus) {
  EXPECT_EQ(read_printed_tres("cpu=1,gres/gpu:a100=2,gres/gpu:v100=1").gpus, 3);
  EXPECT_EQ(
      read_printed_tres("gres/gpu:a100=9223372036854775807,gres/gpu:b=9223372036854775807").gpus,
      2'000'000);
}

TEST(PrintedTres, WhatIsNotThereOrCannotBeReadIsAbsent) {
  for (const char* text : {"", "N/A", "(null)", "cpu", "cpu=", "cpu=-1", "mem=lots", "=4", ",,"}) {
    const PrintedTres seen = read_printed_tres(text);
    EXPECT_FALSE(seen.cpus || seen.memory_mb || seen.nodes || seen.gpus || seen.billing) << text;
  }
}

}  // namespace
}  // namespace sluice
