#include "policyfile/first_policy.h"

#include <gtest/gtest.h>

#include "policyfile/check.h"
#include "policyfile/policy_reader.h"

namespace sluice {
namespace {

FirstPolicy answers() { return {"lab", "n[1-2]", "16", "64G", "0", {"physics=ann,bob"}, false}; }

TEST(FirstPolicy, HasNoMistakes) {
  for (const bool preemptible : {false, true}) {
    FirstPolicy asked = answers();
    asked.preemptible = preemptible;
    asked.gpus = preemptible ? "2" : "0";
    const PolicyText read = read_policy_text(first_policy(asked), "policy.yaml");
    ASSERT_TRUE(read.errors.empty()) << read.errors.front().text();
    for (const Finding& finding : check_policy(read))
      EXPECT_NE(finding.severity, Severity::kError) << finding.what;
    EXPECT_EQ(read.policy.cluster, "lab");
    EXPECT_EQ(read.policy.nodes.size(), 2U);
    EXPECT_EQ(read.policy.find_qos("scavenger").has_value(), preemptible);
    EXPECT_TRUE(read.policy.find_account("physics"));
  }
}

TEST(FirstPolicy, AWrongAnswerIsFoundWhenItIsRead) {
  FirstPolicy asked = answers();
  asked.memory = "lots";
  EXPECT_FALSE(read_policy_text(first_policy(asked), "policy.yaml").errors.empty());
}

}  // namespace
}  // namespace sluice
