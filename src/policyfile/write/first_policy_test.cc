#include "policyfile/write/first_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policyfile/check/check.h"
#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

FirstPolicy answers() {
  return {"lab", "n[1-2]", "16", "64G", "0", {"physics=ann,bob"}, "none", "none", false};
}

TEST(FirstPolicy, HasNoMistakes) {
  for (const bool preemptible : {false, true}) {
    FirstPolicy asked = answers();
    asked.preemptible = preemptible;
    asked.gpus = preemptible ? "2" : "0";
    const PolicyText read = read_policy_text(first_policy(asked), "policy.yaml");
    ASSERT_TRUE(read.errors.empty()) << read.errors.front().text();
    for (const Finding& finding : check_policy(read)) {
      EXPECT_NE(finding.severity, Severity::kError) << finding.what;
      EXPECT_NE(finding.rule, "no-default-memory");
    }
    EXPECT_EQ(read.policy.jobs.default_mem_per_cpu_mb, 4096);
    EXPECT_EQ(read.policy.jobs.with_gpu.memory_mb.has_value(), preemptible);  // Where GPUs are.
    EXPECT_EQ(read.policy.cluster, "lab");
    EXPECT_EQ(read.policy.nodes.size(), 2U);
    EXPECT_EQ(read.policy.find_qos("scavenger").has_value(), preemptible);
    EXPECT_TRUE(read.policy.find_account("physics"));
    // A class that makes room does so for every other, as its comment says.
    const auto scavenger = read.policy.find_qos("scavenger");
    for (const Qos& qos : read.policy.qos) {
      if (!scavenger || qos.name == "scavenger") continue;
      EXPECT_TRUE(std::find(qos.preempt.begin(), qos.preempt.end(), *scavenger) !=
                  qos.preempt.end())
          << qos.name;
    }
  }
}

TEST(FirstPolicy, TeamsMayPreemptOthersAndUsersHaveALimit) {
  FirstPolicy asked = answers();
  asked.teams = {"physics=ann,bob", "biology=cat"};
  asked.preempts = "physics>biology";
  asked.user_share = "gpus=2,memory=16G";
  asked.gpus = "a100:4";
  const PolicyText read = read_policy_text(first_policy(asked), "policy.yaml");
  ASSERT_TRUE(read.errors.empty()) << read.errors.front().text();
  for (const Finding& finding : check_policy(read))
    EXPECT_NE(finding.severity, Severity::kError) << finding.what;
  ASSERT_TRUE(read.policy.find_qos("physics"));
  EXPECT_EQ(read.policy.nodes.front().gpus.size(), 4U);
  EXPECT_EQ(read.policy.jobs.with_gpu.memory_mb, 12 * 1024) << "four share 48 of 64 GB";
  EXPECT_EQ(read.policy.nodes.front().gpus.front().type, "a100");
}

TEST(FirstPolicy, RootsJobsAreChargedToTheTeam) {
  FirstPolicy asked = answers();
  asked.teams = {"physics=ann,root", "biology=root"};
  const PolicyText read = read_policy_text(first_policy(asked), "policy.yaml");
  ASSERT_TRUE(read.errors.empty()) << read.errors.front().text();
  const auto root = read.policy.find_user("root");
  ASSERT_TRUE(root);
  EXPECT_EQ(read.policy.users[root->index()].default_account, "physics");
}

TEST(FirstPolicy, AnswersThatMeanNothingAreRefused) {
  EXPECT_FALSE(check_count("many"));
  EXPECT_FALSE(check_count("0"));
  EXPECT_FALSE(check_memory("lots"));
  EXPECT_FALSE(check_gpus("a100"));
  EXPECT_TRUE(check_gpus("a100:4"));
  EXPECT_FALSE(check_teams({"physics=ann bob"}));
  EXPECT_FALSE(check_user_share("2"));
  EXPECT_TRUE(check_user_share("gpus=2,memory=8G"));
  EXPECT_FALSE(check_preempts("physics>chemistry", {"physics", "biology"}));
  EXPECT_TRUE(check_preempts("physics>biology", {"physics=ann", "biology"}));
}

TEST(FirstPolicy, AWrongAnswerIsFoundWhenItIsRead) {
  FirstPolicy asked = answers();
  asked.memory = "lots";
  EXPECT_FALSE(read_policy_text(first_policy(asked), "policy.yaml").errors.empty());
}

}  // namespace
}  // namespace sluice
