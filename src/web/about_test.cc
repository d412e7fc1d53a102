#include "web/about.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(About, StandsInThePageAsTextThatEndsNothing) {
  const std::string page = "<script id=\"about\" type=\"application/json\"></script><p>";
  EXPECT_EQ(page_with(page, R"({"user":"</script><b>"})"),
            "<script id=\"about\" type=\"application/json\">"
            R"({"user":"\u003c/script>\u003cb>"})"
            "</script><p>");
}

TEST(About, APageWithoutAPlaceForItStaysAsItIs) { EXPECT_EQ(page_with("<p>", "{}"), "<p>"); }

TEST(About, NamesTheUserAndTheReasons) {
  WebSettings settings;
  settings.user = "ann";
  settings.version = "1";
  const std::string json = about_json(settings);
  EXPECT_NE(json.find(R"("user":"ann")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("Resources":")"), std::string::npos) << json;
}

}  // namespace
}  // namespace sluice
