// Which target is meant, and what is kept of an apply.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "host/files/files.h"
#include "host/files/folder_for_tests.h"
#include "policyfile/read/policy_reader.h"
#include "targets/choose_target.h"
#include "targets/plan_file.h"
#include "targets/policy_records.h"
#include "targets/prospect.h"

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

// A cluster with one node, on which bob's job runs and ann's waits.
constexpr const char* kMachine =
    "cluster: lab\nnodes: [{name: n1, cpus: 4, memory: 4G}]\npartitions: {main: {}}\n";

std::vector<QueuedJob> one_runs_one_waits() {
  const auto job = [](const std::string& id, const std::string& user) {
    QueuedJob out;
    out.id = id;
    out.request.user = user;
    out.request.account = "lab";
    out.request.qos = "normal";
    out.request.partitions = {"main"};
    out.request.tasks = 1;
    out.request.cpus_per_task = 4;
    out.request.time_limit = seconds(3600);
    out.submitted = instant_at(seconds(1000));
    return out;
  };
  QueuedJob runs = job("1", "bob");
  runs.state = JobState::kRunning;
  runs.started = runs.submitted;
  runs.shares = {{"n1", 4, 100, {}}};
  return {runs, job("2", "ann")};
}

TEST(Prospect, WhatIsLeftOutOfAPlanEndsNoJob) {
  const std::string live = std::string(kMachine) + "accounts: {lab: {users: [ann, bob]}}\n";
  Aim aim = aim_for(std::string(kMachine) + "accounts: {lab: {users: [ann]}}\n");
  const auto jobs = one_runs_one_waits();
  const Instant now = instant_at(seconds(2000));
  const Prospect left_out = look_ahead(live_policy(live), jobs, aim, now);
  EXPECT_EQ(left_out.plan.held_back(), 1U);
  EXPECT_TRUE(left_out.effects.empty()) << prospect_text(left_out);
  aim.consent.deletions = {"bob"};
  const Prospect done = look_ahead(live_policy(live), jobs, aim, now);
  ASSERT_FALSE(done.effects.empty());
  EXPECT_EQ(done.effects.front().effect, Effect::kEnds);
}

TEST(Prospect, LinesOfSlurmConfAreNoCommands) {
  const std::string accounts = "accounts: {lab: {users: [ann, bob]}}\n";
  const Aim aim =
      aim_for("cluster: lab\nnodes: [{name: n1, cpus: 8, memory: 8G}]\npartitions: {main: {}}\n" +
              accounts);
  const Prospect seen = look_ahead(live_policy(kMachine + accounts), one_runs_one_waits(), aim,
                                   instant_at(seconds(2000)));
  EXPECT_FALSE(seen.plan.conf.empty());
  EXPECT_TRUE(seen.effects.empty()) << prospect_text(seen);
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
