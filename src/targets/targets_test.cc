// Which target is meant, and what is kept of an apply.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "host/files.h"
#include "host/folder_for_tests.h"
#include "policyfile/policy_reader.h"
#include "targets/choose_target.h"
#include "targets/plan_file.h"
#include "targets/policy_records.h"

namespace sluice {
namespace {

LivePolicy live_policy(const std::string& text) {
  LivePolicy out;
  out.policy = *read_policy(text, "live");
  return out;
}

Aim aim_for(const std::string& text) {
  Aim out;
  out.policy = *read_policy(text, "wanted");
  return out;
}

constexpr const char* kLive = "cluster: lab\nqos: {normal: {Priority: 1}}\n";
constexpr const char* kWanted = "cluster: lab\nqos: {normal: {Priority: 2}}\n";

TEST(ChooseTarget, AFileNamesTheTargetWhoseClusterItIs) {
  EXPECT_EQ(engine_of_cluster("lab", "lab", "desk"), "slurm");
  EXPECT_EQ(engine_of_cluster("lab", "lab", std::nullopt), "slurm");
  EXPECT_EQ(engine_of_cluster("desk", "lab", "desk"), "embedded");
}

TEST(ChooseTarget, AClusterThatIsBothOrNeitherDecidesNothing) {
  EXPECT_EQ(engine_of_cluster("lab", "lab", "lab"), std::nullopt);
  EXPECT_EQ(engine_of_cluster("other", "lab", "desk"), std::nullopt);
  EXPECT_EQ(engine_of_cluster("lab", std::nullopt, std::nullopt), std::nullopt);
}

TEST(PlanFile, ASavedPlanIsReadAsItWasWritten) {
  const FolderForTests folder;
  Aim aim = aim_for(kWanted);
  aim.consent.deletions = {"bob"};
  const Prospect prospect = look_ahead(live_policy(kLive), {}, aim, Instant());
  ASSERT_FALSE(prospect.plan.steps.empty());
  const std::string path = folder / "saved.plan";
  ASSERT_TRUE(write_file(path, plan_file_text(aim, prospect)));
  const auto read = read_plan_file(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->cluster, "lab");
  EXPECT_EQ(read->aim.policy, aim.policy);
  EXPECT_EQ(read->aim.consent.deletions, aim.consent.deletions);
  EXPECT_TRUE(read->subjects.contains("qos normal"));
  EXPECT_EQ(*engine_of_plan(path), "slurm");
  ASSERT_TRUE(write_file(path, "{\"schema\": \"something/1\"}"));
  EXPECT_FALSE(read_plan_file(path));
  EXPECT_FALSE(engine_of_plan(path));
}

TEST(PolicyRecords, AnApplyThatWasCutShortKeepsItsFirstWayBack) {
  const FolderForTests folder;
  ::setenv("SLUICE_HOME", folder.path().c_str(), 1);
  const Aim aim = aim_for(kWanted);
  const Prospect first = look_ahead(live_policy(kLive), {}, aim, Instant());
  auto records = PolicyRecords::open("lab");
  ASSERT_TRUE(records) << records.error().text();
  ASSERT_TRUE(records->begin(aim, first));
  // Killed half way: the cluster is another one when it is typed again.
  const Prospect second =
      look_ahead(live_policy("cluster: lab\nqos: {normal: {Priority: 7}}\n"), {}, aim, Instant());
  auto again = PolicyRecords::open("lab");
  ASSERT_TRUE(again->begin(aim, second));
  ASSERT_TRUE(again->finish(aim.policy));
  const auto path = again->last();
  ASSERT_TRUE(path && *path);
  EXPECT_EQ(read_plan_file(**path)->aim.policy, first.live.policy);
  EXPECT_EQ(**again->applied(), aim.policy);
  ASSERT_TRUE(again->mark_undone(**path));
  EXPECT_FALSE(*again->last());
  ::unsetenv("SLUICE_HOME");
}

}  // namespace
}  // namespace sluice
