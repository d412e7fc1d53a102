// What two policies differ in, as people say it.
#include "policyfile/plan/differences.h"

#include <gtest/gtest.h>

#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

Policy policy_of(const std::string& text) {
  auto policy = read_policy(text, "policy.yaml");
  EXPECT_TRUE(policy) << policy.error().text();
  return policy ? *policy : Policy{};
}

Lines between(const std::string& before, const std::string& after, Tense tense = Tense::kPlan) {
  Lines out;
  for (const Difference& each : policy_differences(policy_of(before), policy_of(after), tense))
    out.push_back(each.sentence());
  return out;
}

TEST(Differences, AreNoneBetweenAPolicyAndItself) {
  const std::string text =
      "nodes: [{name: 'n[1-3]', cpus: 4}]\nqos: {a: {MaxWall: 1h}}\n"
      "accounts: {x: {users: [ann], accounts: {y: {users: {bob: {shares: 3}}}}}}\n";
  EXPECT_EQ(between(text, text), Lines{});
}

TEST(Differences, NameTheFieldAndWhatItWas) {
  EXPECT_EQ(between("qos: {a: {MaxWall: 1h}}\n", "qos: {a: {MaxWall: 90s, Priority: 5}}\n"),
            (Lines{"QoS a: Priority 5, was 0", "QoS a: MaxWall 1m30s, was 1h"}));
}

TEST(Differences, ASettingThatIsNotWrittenHasItsDefault) {
  EXPECT_EQ(between("accounts: {x: {shares: 7}}\n", "accounts: {x: {}}\n"),
            Lines{"account x: shares 1, was 7"});
  EXPECT_EQ(between("{}\n", "qos: {normal: {Priority: 3}}\n"),
            Lines{"QoS normal: Priority 3, was 0"});
}

TEST(Differences, NameWhoComesGoesAndMoves) {
  EXPECT_EQ(between("accounts: {x: {users: [ann, bob], accounts: {y: {}}}}\n",
                    "accounts: {x: {users: [ann, cat]}, y: {}}\n"),
            (Lines{"new user cat of x", "account y: parent root, was x", "user bob of x goes"}));
}

TEST(Differences, TellManyNodesAsOne) {
  EXPECT_EQ(between("nodes: [{name: 'n[1-3]', cpus: 4}]\n", "nodes: [{name: 'n[1-3]', cpus: 8}]\n"),
            Lines{"node n[1-3]: cpus 8, was 4"});
}

TEST(Differences, AsHistorySayWhetherItRoseOrFell) {
  EXPECT_EQ(between("qos: {clive: {GrpTRES: {gres/gpu: 3, mem: 812G}}}\n",
                    "qos: {clive: {GrpTRES: {gres/gpu: 1, mem: 320000M}}}\n", Tense::kHistory),
            Lines{"QoS clive: GrpTRES fell from 3 GPU/812 GB to 1/312.5"});
}

}  // namespace
}  // namespace sluice
