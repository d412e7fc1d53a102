// Lines that drifted are changed; nothing else is.
#include "policyfile/files/project_file.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr std::string_view kFile = R"(# A project.
resources:
  accounts:
    - name: clive          # throttled in April
      partition_gpu: "hpg-b200,hpg-turin"
      gpu_slots: 3         # of 3 GPUs
      cpu_slots: 11
    - name: brusko
      gpu_slots: 1
    - name: maigan
      gpu_slots: 2
      cpu_slots: 8
  total_gpu_slots: 6
  total_cpu_slots: 19
  total_slots: 25
cycles: [1, 2]   # kept
)";

TEST(ProjectFile, NamesEveryLineThatDrifted) {
  const LiveAccounts live = {
      {"clive", {1, 4, ""}}, {"maigan", {2, 8, ""}}, {"brusko", {0, 0, "blocked: no memory"}}};
  const auto drift = find_drift(kFile, "config.yaml", live);
  ASSERT_TRUE(drift) << drift.error().text();
  EXPECT_EQ(without_drift(kFile, *drift), R"(# A project.
resources:
  accounts:
    - name: clive          # throttled in April
      partition_gpu: "hpg-b200,hpg-turin"
      gpu_slots: 1         # of 3 GPUs
      cpu_slots: 4
    - name: maigan
      gpu_slots: 2
      cpu_slots: 8
  total_gpu_slots: 3
  total_cpu_slots: 12
  total_slots: 15
cycles: [1, 2]   # kept
)");
  EXPECT_EQ(drift->front().why, "clive: gpu_slots is 1 now, not 3");
  // Once mended, nothing is left to say.
  const auto again = find_drift(without_drift(kFile, *drift), "config.yaml", live);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->empty());
}

TEST(ProjectFile, AccountsOfRoutingAreNamesAlone) {
  const LiveAccounts live = {
      {"clive", {1, 4, ""}}, {"maigan", {2, 8, ""}}, {"brusko", {0, 0, "blocked: no memory"}}};
  const auto mended = [&](std::string_view text) {
    const auto drift = find_drift(text, ".sluice.yaml", live);
    EXPECT_TRUE(drift) << drift.error().text();
    return without_drift(text, *drift);
  };
  EXPECT_EQ(mended("# ours\nrouting:\n  accounts: [brusko, clive, 'old', maigan]  # May\n  x: 1\n"),
            "# ours\nrouting:\n  accounts: [clive, maigan]  # May\n  x: 1\n");
  EXPECT_EQ(mended("routing:\n  accounts: [clive, brusko]\n"), "routing:\n  accounts: [clive]\n");
  EXPECT_EQ(mended("routing:\n  accounts:\n    - clive  # a\n    - old  # b\n    - maigan\n"),
            "routing:\n  accounts:\n    - clive  # a\n    - maigan\n");
  // Without any the list would mean all of them.
  EXPECT_EQ(mended("routing:\n  accounts: [old, brusko]\n"),
            "routing:\n  accounts: [old, brusko]\n");
  const auto drift = find_drift("routing: {accounts: [old, clive, brusko]}\n", "x", live);
  ASSERT_TRUE(drift);
  ASSERT_EQ(drift->size(), 1U);
  EXPECT_EQ(drift->front().why, "old is not an account of yours; brusko is blocked: no memory");
  EXPECT_EQ(*drift->front().after, "routing: {accounts: [clive]}");
}

TEST(ProjectFile, AFileWithoutSuchAListIsFine) {
  const auto drift = find_drift("a: 1\n", "config.yaml", {});
  ASSERT_TRUE(drift);
  EXPECT_TRUE(drift->empty());
}

TEST(ProjectFile, OneLineForms) {
  const LiveAccounts live = {{"clive", {1, 4, ""}}};
  const std::string text =
      "resources:\n  accounts:\n    - {name: clive, gpu_slots: 3, cpu_slots: 11}  # x\n";
  const auto drift = find_drift(text, "config.yaml", live);
  ASSERT_TRUE(drift);
  EXPECT_EQ(without_drift(text, *drift),
            "resources:\n  accounts:\n    - {name: clive, gpu_slots: 1, cpu_slots: 4}  # x\n");
}

}  // namespace
}  // namespace sluice
