#include "text/quoting.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Quoting, AShellReadsOneWord) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(Quoting, AWordToPasteIsQuotedWhereAShellWouldReadItOtherwise) {
  EXPECT_EQ(shell_argument("saved.plan"), "saved.plan");
  EXPECT_EQ(shell_argument("JobId=12"), "JobId=12");
  EXPECT_EQ(shell_argument(""), "''");
  EXPECT_EQ(shell_argument("a b.yaml"), "'a b.yaml'");
  EXPECT_EQ(shell_argument("2_[0-1]"), "'2_[0-1]'");
  EXPECT_EQ(shell_argument("~x"), "'~x'");
}

TEST(Quoting, JsonKeepsControlCharacters) {
  EXPECT_EQ(json_string("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
  EXPECT_EQ(json_string("\n\x1f"), "\"\\u000a\\u001f\"");
}

}  // namespace
}  // namespace sluice
