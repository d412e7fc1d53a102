// Settings and names that every routed verb reads.
#include "pools/routing_context.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(RoutingContext, ListsNamesGivenOnceOrSeveralTimes) {
  EXPECT_EQ(listed_names({"a,b", "c"}), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(listed_names({",a,,b,"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(listed_names({""}).empty());
}

TEST(RoutingContext, RefusesAShapeThatIsNotDescribed) {
  RoutingSettings settings;
  EXPECT_TRUE(check_shape(settings, "").has_value());
  EXPECT_FALSE(check_shape(settings, "align").has_value());
  settings.shapes["align"];
  EXPECT_TRUE(check_shape(settings, "align").has_value());
  const auto other = check_shape(settings, "aling");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().hint, "there are: align");
}

}  // namespace
}  // namespace sluice
