// Memory sizes as sbatch reads them and as Slurm's commands print them.
#include "text/memory.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Memory, IsReadAsSbatchReadsIt) {
  struct Case {
    const char* text;
    std::int64_t mb;
  };
  for (const Case& c : {Case{"4000", 4000},
                        {"4G", 4096},
                        {"4g", 4096},
                        {"1T", 1048576},
                        {"100K", 1},
                        {"1024K", 1},
                        {"1025K", 2},
                        {"0", 0},
                        {"0K", 0},
                        {"4GB", 4096},
                        {"4gb", 4096},
                        {"4MB", 4},
                        {"4KB", 1}}) {
    const auto mb = parse_memory_mb(c.text);
    ASSERT_TRUE(mb) << c.text;
    EXPECT_EQ(*mb, c.mb) << c.text;
  }
  for (const char* text : {"", "312.5G", "1P", "-1", "abc", "4 G", "4.", ".5G", "4X", "G", "1e3",
                           "4Gc", "0x10", "4B", "4GBB", "99999999999999999999", "17592186044415T"})
    EXPECT_FALSE(parse_memory_mb(text)) << text;
  EXPECT_EQ(
      parse_memory_mb("4X").error().text(),
      "'4X' is not a memory size\n  write a whole number and K, M, G or T, as in 4000M or 4G");
}

TEST(Memory, InLimitsMayHaveDecimals) {
  EXPECT_EQ(parse_printed_memory_mb("312.5G").value(), 320000);
  EXPECT_EQ(parse_printed_memory_mb("312.50G").value(), 320000);
  EXPECT_EQ(parse_printed_memory_mb("1.5T").value(), 1572864);
  EXPECT_EQ(parse_printed_memory_mb("2P").value(), std::int64_t{2} << 30);
  EXPECT_EQ(parse_printed_memory_mb("0.001G").value(), 1);
  EXPECT_EQ(parse_printed_memory_mb("4000M").value(), 4000);
  EXPECT_FALSE(parse_printed_memory_mb("1.2345G"));
  EXPECT_FALSE(parse_printed_memory_mb("1..5G"));
}

TEST(Memory, OldSacctMarksPerNodeAndPerCpu) {
  EXPECT_EQ(parse_requested_memory("4Gn").value(), (MemoryRequest{MemoryPer::kNode, 4096}));
  EXPECT_EQ(parse_requested_memory("4Gc").value(), (MemoryRequest{MemoryPer::kCpu, 4096}));
  EXPECT_EQ(parse_requested_memory("4000M").value(), (MemoryRequest{MemoryPer::kNode, 4000}));
  EXPECT_EQ(parse_requested_memory("0n").value(), (MemoryRequest{MemoryPer::kNode, 0}));
  EXPECT_FALSE(parse_requested_memory("n"));
}

TEST(Memory, IsPrintedAsSlurmPrintsIt) {
  struct Case {
    std::int64_t mb;
    const char* exact;
    const char* rounded;
  };
  for (const Case& c : {Case{0, "0", "0"},
                        {1, "1M", "1M"},
                        {1023, "1023M", "1023M"},
                        {1024, "1G", "1G"},
                        {1025, "1025M", "1.00G"},
                        {1536, "1.50G", "1.50G"},
                        {4000, "4000M", "3.91G"},
                        {125000, "125000M", "122.07G"},
                        {320000, "312.50G", "312.50G"},
                        {1048576, "1T", "1T"},
                        {1048577, "1048577M", "1.00T"},
                        {831488, "812G", "812G"},
                        {1073741824, "1P", "1P"},
                        {1048575, "1048575M", "1024.00G"},
                        {1573376, "1536.50G", "1.50T"}}) {
    EXPECT_EQ(format_memory_mb(c.mb), c.exact);
    EXPECT_EQ(format_memory_mb(c.mb, MemoryStyle::kRounded), c.rounded);
  }
  EXPECT_EQ(format_memory_mb(4096, MemoryStyle::kMegabytes), "4096M");
}

TEST(Memory, IsAskedForByTheRightOption) {
  EXPECT_EQ(format_memory_option({MemoryPer::kNode, 4096}), "--mem=4096M");
  EXPECT_EQ(format_memory_option({MemoryPer::kCpu, 2000}), "--mem-per-cpu=2000M");
  EXPECT_EQ(format_memory_option({MemoryPer::kGpu, 1}), "--mem-per-gpu=1M");
  EXPECT_EQ(format_memory_option({MemoryPer::kNode, 0}), "--mem=0");
}

}  // namespace
}  // namespace sluice
