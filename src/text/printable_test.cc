#include "text/printable.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Printable, LeavesWhatPeopleRead) {
  EXPECT_EQ(printable("train v2 | größe 数据 🎉"), "train v2 | größe 数据 🎉");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mred\n"), "\\x1b[31mred\\x0a");
  EXPECT_EQ(printable("a\x1f\x1e\x7f"), "a\\x1f\\x1e\\x7f");
  // CSI as one character of C1, and as a single byte.
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  // Right-to-left override.
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("x\xf0\x9f"), "x\\xf0\\x9f");
}

TEST(Printable, EscapesWhatHides) {
  // No width, a byte order mark, an isolate, a line separator, an invisible tag.
  EXPECT_EQ(printable("\xe2\x80\x8b\xef\xbb\xbf"), "\\xe2\\x80\\x8b\\xef\\xbb\\xbf");
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), "\\xf3\\xa0\\x81\\x81");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, LinesStayLines) { EXPECT_EQ(printable_lines("a\nb\x1b"), "a\nb\\x1b"); }

}  // namespace
}  // namespace sluice
