// The digest depends on the bytes and on nothing else.
#include "sim/digest.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

TEST(Digest, DoesNotDependOnHowTheBytesAreCut) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += static_cast<char>(i * 37);
  Digest whole;
  whole.add(bytes);
  for (std::size_t piece = 1; piece < 20; ++piece) {
    Digest cut;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      cut.add(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(cut.value(), whole.value()) << piece;
  }
}

TEST(Digest, TellsNeighboursApart) {
  Digest a;
  Digest b;
  Digest c;
  a.add(std::string_view("\0", 1));
  b.add(std::string_view("\0\0", 2));
  c.add("\1");
  EXPECT_NE(a.value(), b.value());
  EXPECT_NE(a.value(), c.value());
}

}  // namespace
}  // namespace sluice
