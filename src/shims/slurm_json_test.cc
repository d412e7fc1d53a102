#include "shims/slurm_json.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(SlurmJson, IsLaidOutAsJsonCDoes) {
  EXPECT_EQ(
      json_c_layout(R"({"a":{"b":"x/\"y","c":[]},"d":[1,null]})"),
      "{\n  \"a\": {\n    \"b\": \"x\\/\\\"y\",\n    \"c\": [\n    ]\n  },\n  \"d\": [\n    1,\n"
      "    null\n  ]\n}");
}

TEST(SlurmJson, KeepsBackslashesAtTheEndOfATextTogether) {
  EXPECT_EQ(json_c_layout(R"({"a":"x\\","b":"{,:}"})"),
            "{\n  \"a\": \"x\\\\\",\n  \"b\": \"{,:}\"\n}");
}

TEST(SlurmJson, HasSlurmsFrame) {
  SlurmJson json("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "jobs");
  const std::string text = json.finish();
  EXPECT_TRUE(
      text.starts_with("{\n  \"meta\": {\n    \"plugin\": {\n      \"type\": "
                       "\"openapi\\/v0.0.38\",\n"))
      << text;
  EXPECT_TRUE(text.ends_with("  \"errors\": [\n  ],\n  \"jobs\": [\n  ]\n}")) << text;
}

}  // namespace
}  // namespace sluice
