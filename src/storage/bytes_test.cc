#include "storage/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "storage/checksum.h"

namespace sluice {
namespace {

TEST(Bytes, NumbersComeBackAsTheyWere) {
  ByteWriter out;
  const std::uint64_t numbers[] = {
      0, 1, 127, 128, 16'383, 16'384, std::numeric_limits<std::uint64_t>::max()};
  for (const std::uint64_t number : numbers) out.varint(number);
  ByteReader in(out.view());
  for (const std::uint64_t number : numbers) EXPECT_EQ(in.varint(), number);
}

TEST(Bytes, SmallNumbersOfEitherSignAreShort) {
  EXPECT_EQ(to_zigzag(0), 0u);
  EXPECT_EQ(to_zigzag(-1), 1u);
  EXPECT_EQ(to_zigzag(1), 2u);
  for (const std::int64_t number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-77},
                                    std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(from_zigzag(to_zigzag(number)), number);
}

// The value that every description of CRC-32C gives.
TEST(Checksum, IsCrc32c) { EXPECT_EQ(crc32c("123456789"), 0xE3069283u); }

}  // namespace
}  // namespace sluice
