#include "text/program_output.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(ProgramOutput, KeepsLinesAndTabsAndNothingElseThatActsOnATerminal) {
  EXPECT_EQ(printable_output("a\tb\nc\x1b[2J\r\n"), "a\tb\nc\\x1b[2J\\x0d\n");
  EXPECT_EQ(printable_output(""), "");
  EXPECT_EQ(printable_output("\n\n"), "\n\n");
  EXPECT_EQ(printable_output("\xC3\xA4 \xFF"), "\xC3\xA4 \\xff");
}

TEST(ProgramOutput, APieceEndsWithAWholeCharacter) {
  EXPECT_EQ(whole_characters("abc"), 3U);
  EXPECT_EQ(whole_characters(""), 0U);
  EXPECT_EQ(whole_characters("a\xC3"), 1U);
  EXPECT_EQ(whole_characters("a\xC3\xA4"), 3U);
  EXPECT_EQ(whole_characters("a\xE2\x80"), 1U);
  EXPECT_EQ(whole_characters("a\xF0\x9F\x98"), 1U);
  EXPECT_EQ(whole_characters("a\xF0\x9F\x98\x80"), 5U);
  // What is no character at all does not wait for more.
  EXPECT_EQ(whole_characters("a\x80\x80\x80"), 4U);
}

}  // namespace
}  // namespace sluice
