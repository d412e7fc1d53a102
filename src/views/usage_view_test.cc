// Hours of a period along the tree.
#include "views/usage_view.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Instant hour(double hours) {
  return instant_at(Duration(static_cast<std::int64_t>(hours * 3.6e6)));
}

UsedRun run(std::string user, std::string account, double from, std::optional<double> to) {
  UsedRun out;
  out.user = std::move(user);
  out.account = std::move(account);
  out.qos = "normal";
  out.started = hour(from);
  if (to) out.ended = hour(*to);
  out.cpus = 4;
  out.memory_mb = 2048;
  out.gpus = 1;
  out.billing = 4;
  return out;
}

const std::vector<DueShare> kTree = {
    {"root", "", "", 1, false},
    {"science", "", "root", 60, false},
    {"physics", "", "science", 1, false},
    {"physics", "ada", "physics", 3, false},
    {"physics", "ben", "physics", 1, false},
    {"biology", "", "science", 1, false},
    {"biology", "ada", "biology", 1, false},
    {"teaching", "", "root", 40, false},
    {"teaching", "eve", "teaching", 0, true},
};

const UsageLine* find(const UsageReport& report, const std::string& name) {
  for (const UsageLine& line : report.lines)
    if (line.name == name) return &line;
  return nullptr;
}

TEST(Usage, CountsOnlyWhatLiesInThePeriod) {
  const std::vector<UsedRun> runs = {run("ada", "physics", 0, 12), run("ben", "physics", 18, {}),
                                     run("ada", "biology", 1, 5)};
  const UsageReport report = usage_report(runs, kTree, UsageBy::kAccount, {hour(10), hour(20)});
  EXPECT_EQ(report.all.runs, 2);
  EXPECT_DOUBLE_EQ(report.all.gpu_hours, 4);
  EXPECT_DOUBLE_EQ(find(report, "physics")->cpu_hours, 16);
  EXPECT_DOUBLE_EQ(find(report, "physics")->memory_gb_hours, 8);
  EXPECT_DOUBLE_EQ(find(report, "science")->gpu_hours, 4);
  EXPECT_DOUBLE_EQ(find(report, "biology")->gpu_hours, 0);
  EXPECT_DOUBLE_EQ(find(report, "root")->given, 1);
}

TEST(Usage, DueFollowsTheSharesDownTheTree) {
  const std::vector<UsedRun> runs = {run("ada", "physics", 0, 1)};
  const UsageReport report = usage_report(runs, kTree, UsageBy::kAccount, {hour(0), hour(2)});
  EXPECT_DOUBLE_EQ(*find(report, "science")->due, 0.6);
  EXPECT_DOUBLE_EQ(*find(report, "physics")->due, 0.3);
  const UsageReport users = usage_report(runs, kTree, UsageBy::kUser, {hour(0), hour(2)});
  ASSERT_EQ(users.lines.size(), 1U);
  EXPECT_NEAR(*users.lines[0].due, 0.3 * 0.75 + 0.3, 1e-12);
}

TEST(Usage, NothingIsDueToAUserWithTheParentsSharesOrToAQos) {
  const std::vector<UsedRun> runs = {run("eve", "teaching", 0, 1)};
  EXPECT_FALSE(usage_report(runs, kTree, UsageBy::kUser, {hour(0), hour(2)}).lines[0].due);
  EXPECT_FALSE(usage_report(runs, kTree, UsageBy::kQos, {hour(0), hour(2)}).lines[0].due);
}

TEST(Usage, AnAccountThatIsGoneKeepsWhatItUsed) {
  const std::vector<UsedRun> runs = {run("ada", "gone", 0, 1)};
  const UsageReport report = usage_report(runs, kTree, UsageBy::kAccount, {hour(0), hour(2)});
  ASSERT_NE(find(report, "gone"), nullptr);
  EXPECT_DOUBLE_EQ(find(report, "gone")->given, 1);
}

TEST(Usage, NothingRanIsNoDivisionByZero) {
  const UsageReport report = usage_report({}, kTree, UsageBy::kAccount, {hour(0), hour(2)});
  EXPECT_EQ(report.all.runs, 0);
  EXPECT_DOUBLE_EQ(find(report, "root")->given, 0);
}

}  // namespace
}  // namespace sluice
