// What people write about routing, and what they are told when it is wrong.
#include "policyfile/files/routing_file.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(RoutingFile, ReadsAllOfIt) {
  RoutingSettings settings;
  const auto done = read_routing_file(R"(
accounts: [clive, maigan]
qos: {clive: [clive, normal]}
burst-suffixes: ["-b", "-burst"]
cpu-share: 85%
cpu-time-factor: 4
stuck-after: 5m
devices:
  gpu: {partitions: "hpg-b200,hpg-turin", cpus: 8, memory: 180G, gpus: 1}
  cpu: {partitions: hpg-default, cpus: 8, memory: 48G, time: 1-00:00:00}
blocked:
  - {account: brusko, reason: "no GPUs left", since: 2026-04-08, review: 2026-10-01}
)",
                                      "routing.yaml", settings);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(settings.accounts, (std::vector<std::string>{"clive", "maigan"}));
  EXPECT_EQ(settings.qos["clive"], (std::vector<std::string>{"clive", "normal"}));
  EXPECT_EQ(settings.gpu.partitions, (std::vector<std::string>{"hpg-b200", "hpg-turin"}));
  EXPECT_EQ(settings.gpu.memory_mb, 180 * 1024);
  EXPECT_EQ(settings.cpu.time_limit, minutes(24 * 60));
  EXPECT_EQ(settings.cpu_time_factor, 4);
  EXPECT_EQ(settings.stuck_after, minutes(5));
  ASSERT_NE(settings.block_of("brusko"), nullptr);
  EXPECT_EQ(settings.block_of("brusko")->review, "2026-10-01");
  EXPECT_TRUE(settings.is_burst("clive-burst"));
}

TEST(RoutingFile, NamesShapesOfStepsOfAWorkflow) {
  RoutingSettings settings;
  const auto done = read_routing_file(
      "shapes:\n  decon: {gpu: {gpus: 1, memory: 180G}, cpu: {cpus: 16}}\n  qc: {cpu: {cpus: 1}}\n",
      "routing.yaml", settings);
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_EQ(settings.shapes.size(), 2U);
  EXPECT_EQ(settings.shapes["decon"].gpu.memory_mb, 180 * 1024);
  EXPECT_EQ(settings.shapes["qc"].cpu.cpus, 1);
  EXPECT_FALSE(read_routing_file("shapes: [decon]\n", "routing.yaml", settings));
  EXPECT_FALSE(read_routing_file("shapes: {decon: {tpu: {}}}\n", "routing.yaml", settings));
}

TEST(RoutingFile, IsASectionOfAProjectsFile) {
  RoutingSettings settings;
  ASSERT_TRUE(
      read_routing_file("routing: {accounts: maigan}\nother: 1\n", "x/.sluice.yaml", settings));
  EXPECT_EQ(settings.accounts, std::vector<std::string>{"maigan"});
  ASSERT_TRUE(read_routing_file("other: 1\n", "x/.sluice.yaml", settings));
  EXPECT_EQ(settings.accounts, std::vector<std::string>{"maigan"});
}

TEST(RoutingFile, WhatStandsOutsideOfTheSectionIsNotOverlooked) {
  RoutingSettings settings;
  const auto done = read_routing_file("other: 1\nstuck-after: 5m\n", "x/.sluice.yaml", settings);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text().find("x/.sluice.yaml:2"), std::string::npos);
  EXPECT_NE(done.error().text().find("routing: {stuck-after"), std::string::npos);
}

TEST(RoutingFile, NamesFileLineAndField) {
  const auto wrong = [](std::string_view text) {
    RoutingSettings settings;
    const auto done = read_routing_file(text, "routing.yaml", settings);
    return done ? std::string() : done.error().text();
  };
  EXPECT_NE(wrong("accounts: [a]\ndevices:\n  gpu: {cpuss: 8}\n").find("routing.yaml:3"),
            std::string::npos);
  EXPECT_NE(wrong("cpu-share: 850%\n").find("routing.yaml:1"), std::string::npos);
  EXPECT_NE(wrong("blocked:\n  - {account: x}\n").find("has no reason"), std::string::npos);
  EXPECT_NE(wrong("blocked:\n  - {account: x, reason: y, review: soon}\n").find("is not a date"),
            std::string::npos);
  EXPECT_FALSE(wrong("acounts: [a]\n").empty());
}

TEST(RoutingFile, BlocksAreWrittenAndReadBack) {
  const std::vector<Block> blocks = {{"brusko", "it's \"full\": always", "2026-04-08", ""},
                                     {"clive", "throttled", "2026-04-08", "2026-12-01"}};
  RoutingSettings settings;
  const auto done = read_routing_file(write_blocks(blocks), "blocked.yaml", settings);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(settings.blocked, blocks);
}

}  // namespace
}  // namespace sluice
