#include "text/short_text.h"

#include <gtest/gtest.h>

#include "text/sbatch_option_table.h"

namespace sluice {
namespace {

TEST(ShortText, IsTheTextThatItWasMadeOf) {
  constexpr ShortText<5> kFull = "abcde";
  constexpr ShortText<5> kPart = "abc";
  constexpr ShortText<5> kNone = "";
  static_assert(kFull.view() == "abcde" && kPart.view() == "abc" && kNone.empty());
  EXPECT_EQ(std::string_view(kPart), "abc");
  EXPECT_FALSE(kPart.empty());
  EXPECT_TRUE(ShortText<5>().empty());
}

TEST(ShortText, TheOptionsOfSbatchLieInTheirTable) {
  for (const SbatchOptionRow& row : sbatch_options()) {
    const auto* begin = reinterpret_cast<const char*>(&row);
    const auto inside = [&](std::string_view text) {
      return text.data() >= begin && text.data() + text.size() <= begin + sizeof row;
    };
    EXPECT_TRUE(inside(row.shape.name) && inside(row.environment) && inside(row.instead))
        << row.shape.name.view();
    EXPECT_FALSE(row.shape.name.empty());
  }
}

}  // namespace
}  // namespace sluice
