#include "text/replacement.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string with(std::string_view command, std::vector<std::string> items) {
  return *filled_in(command, items, 7);
}

TEST(Replacement, IsAsInGnuParallel) {
  EXPECT_EQ(with("wc {}", {"d/a.txt"}), "wc d/a.txt");
  EXPECT_EQ(with("{.}|{/}|{//}|{/.}|{#}", {"d/a.b.txt"}), "d/a.b|a.b.txt|d|a.b|7");
  EXPECT_EQ(with("{//} {.}", {"a"}), ". a");
  EXPECT_EQ(with("{1}-{2} {2.} {}", {"x", "y.c"}), "x-y.c y x y.c");
}

TEST(Replacement, AnItemIsOneWordWhateverIsInIt) {
  EXPECT_EQ(with("echo {}", {"two words; rm -rf $HOME"}), "echo 'two words; rm -rf $HOME'");
  EXPECT_EQ(with("echo {}", {"it's\nthat"}), "echo $'it\\'s\\nthat'");
  EXPECT_EQ(with("echo {}", {""}), "echo ''");
}

TEST(Replacement, OtherBracesStayAsTheyAre) {
  EXPECT_EQ(with("awk '{print $1}' {} ${HOME} {a,b} {", {"f"}),
            "awk '{print $1}' f ${HOME} {a,b} {");
  EXPECT_FALSE(has_replacement("awk '{print $1}' {#}"));
  EXPECT_TRUE(has_replacement("x {2/.}"));
}

TEST(Replacement, AListThatIsNotThereIsAnError) {
  const std::vector<std::string> one{"a"};
  EXPECT_FALSE(filled_in("{2}", one, 1));
}

TEST(Replacement, SourcesAreCombinedTheLastChangingFastest) {
  const auto lines = combined({{"a", "b"}, {"1", "2"}});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1], (std::vector<std::string>{"a", "2"}));
  EXPECT_TRUE(combined({}).empty());
}

}  // namespace
}  // namespace sluice
