// Feature constraints, multiplied out.
#include "text/constraint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string read(std::string_view text) {
  const auto constraint = parse_constraint(text);
  if (!constraint) return "refused";
  std::vector<std::string> alternatives;
  for (const auto& all : constraint->any_of)
    alternatives.push_back(fmt::format("{}", fmt::join(all, "&")));
  return fmt::format("{}{}", constraint->same_for_all_nodes ? "same " : "",
                     fmt::join(alternatives, " or "));
}

TEST(Constraint, BecomesAlternatives) {
  EXPECT_EQ(read("a"), "a");
  EXPECT_EQ(read("a&b"), "a&b");
  EXPECT_EQ(read("a,b"), "a&b");
  EXPECT_EQ(read("a|b"), "a or b");
  EXPECT_EQ(read("a&b|c"), "a&b or c");
  EXPECT_EQ(read("(a|b)&c"), "a&c or b&c");
  EXPECT_EQ(read("[a|b]"), "same a or b");
  EXPECT_EQ(read("a&a"), "a");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(parse_constraint("a&b").value().text, "a&b");
}

TEST(Constraint, RefusalsSayWhatIsMissing) {
  for (const char* text : {"a&", "|a", "(a", "a)", "[a", "a b", "!a", "a||b", "()", "[a*1&b*2]"})
    EXPECT_EQ(read(text), "refused") << text;
  EXPECT_EQ(parse_constraint("a*2").error().what, "the node count in 'a*2' is not supported");
  EXPECT_EQ(parse_constraint("a&").error().what, "'a&' is not a constraint (at its end)");
}

}  // namespace
}  // namespace sluice
