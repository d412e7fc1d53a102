#include "policyfile/files/notify_file.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

const std::vector<std::string> kEvents = {"job-end", "chain-done", "gave-up", "pools-full"};

TEST(NotifyFile, HooksHaveEventsAndOneTarget) {
  const auto read = read_notify_file(
      "hooks:\n"
      "  - {on: [chain-done, gave-up], command: ~/bin/tell}\n"
      "  - {on: all, webhook: 'https://example.org/x'}\n"
      "  - {on: pools-full, mail: ann}\n",
      "notify.yaml", kEvents);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[0].kind, HookKind::kCommand);
  EXPECT_TRUE((*read)[0].is_for("gave-up"));
  EXPECT_FALSE((*read)[0].is_for("job-end"));
  EXPECT_TRUE((*read)[1].is_for("job-end"));
  EXPECT_EQ((*read)[2].target, "ann");
  EXPECT_TRUE(read_notify_file("", "notify.yaml", kEvents)->empty());
}

TEST(NotifyFile, MistakesNameTheLine) {
  const auto refused = [](const char* text) {
    const auto read = read_notify_file(text, "notify.yaml", kEvents);
    return read ? std::string() : read.error().text();
  };
  EXPECT_NE(refused("hooks:\n  - {on: chain-don, command: x}\n").find("notify.yaml:2"),
            std::string::npos);
  EXPECT_NE(refused("hooks:\n  - {on: chain-done}\n").find("one of command"), std::string::npos);
  EXPECT_NE(refused("hooks:\n  - {command: x}\n").find("no event"), std::string::npos);
  EXPECT_NE(refused("hooks:\n  - {on: all, webhook: ftp://x}\n").find("webhook"),
            std::string::npos);
  EXPECT_NE(refused("hoks: []\n").find("hoks"), std::string::npos);
}

}  // namespace
}  // namespace sluice
