#include "text/quoting.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Quoting, AShellReadsOneWord) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(Quoting, JsonKeepsControlCharacters) {
  EXPECT_EQ(json_string("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
  EXPECT_EQ(json_string("\n\x1f"), "\"\\u000a\\u001f\"");
}

}  // namespace
}  // namespace sluice
