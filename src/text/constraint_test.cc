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
  std::string counted;
  for (const CountedFeature& one : constraint->counted) {
    counted += fmt::format("{}{} of", counted.empty() ? "" : " and ", one.nodes);
    for (const auto& all : one.any_of) counted += fmt::format(" {}", fmt::join(all, "&"));
  }
  if (!counted.empty()) return counted + (constraint->counted_apart ? " apart" : "");
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

TEST(Constraint, CountsNodes) {
  EXPECT_EQ(read("a*2"), "2 of a");
  EXPECT_EQ(read("(a|b)*2"), "2 of a b");
  EXPECT_EQ(read("[a*2&b*1]"), "2 of a and 1 of b apart");
  EXPECT_EQ(read("[(a|c)*2&(b&d)*1]"), "2 of a c and 1 of b&d apart");
}

TEST(Constraint, RefusalsSayWhatIsMissing) {
  for (const char* text :
       {"a&", "|a", "(a", "a)", "[a", "a b", "!a", "a||b", "()", "a*", "a*0", "*2", "a*2|b*1",
        "[a|b]*2", "[c*1|a*2]", "b&[a*1&c*1]", "[a*2&b]", "a*2&b", "a*99999999999"})
    EXPECT_EQ(read(text), "refused") << text;
  EXPECT_EQ(parse_constraint("a*2&b").error().what, "'a*2&b' is not a constraint with counts");
  EXPECT_EQ(parse_constraint("a&").error().what, "'a&' is not a constraint (at its end)");
}

}  // namespace
}  // namespace sluice
