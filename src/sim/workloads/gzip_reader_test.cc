#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/workloads/swf.h"

namespace sluice {
namespace {

// A few kilobytes on the disk may be terabytes of zeros.
TEST(GzipReader, WhatUnpacksToMoreThanItsBoundIsRefused) {
  const std::string path = testing::TempDir() + "sluice-bound-" + std::to_string(::getpid());
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  const std::string zeros(std::size_t{4} << 20, '\0');
  ASSERT_EQ(gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size())),
            static_cast<int>(zeros.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  const auto refused = read_maybe_gzipped(path, std::size_t{1} << 20);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("more than 1048576 bytes"), std::string::npos);
  EXPECT_EQ(read_maybe_gzipped(path, zeros.size()).value().size(), zeros.size());
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace sluice
