// What binds whom, as a person reads it.
#include "policyfile/check/explain.h"

#include <gtest/gtest.h>

#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

const std::string kPolicy =
    "qos: {fast: {MaxWall: 1h, MaxTRESPerUser: cpu=4, Preempt: slow}, slow: {}}\n"
    "accounts:\n"
    "  science: {GrpTRES: cpu=64, accounts: {physics: {shares: 3, qos: [fast, slow], "
    "default_qos: slow, users: [ann]}, biology: {}}}\n"
    "preemption: {type: qos, mode: requeue}\n";

std::string explained(std::string_view name) {
  const auto policy = read_policy(kPolicy, "policy.yaml");
  EXPECT_TRUE(policy) << policy.error().text();
  const auto text = explain_policy(*policy, name);
  return text ? *text : text.error().text();
}

void expect(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n--- not in\n" << text;
}

TEST(Explain, AQosSaysItsLimitsAndWhoMayUseIt) {
  const std::string text = explained("fast");
  expect(text, "MaxWall 1h: the longest time limit of one job");
  expect(text, "its jobs preempt those of slow");
  expect(text, "may be used by ann of physics");
  expect(explained("slow"), "its jobs make room for those of fast");
}

TEST(Explain, AUserIsBoundByTheAccountsAbove) {
  const std::string text = explained("ann");
  expect(text, "jobs that name no account go to physics");
  expect(text, "GrpTRES 64 cpu of account science");
  expect(text, "MaxTRESPerUser 4 cpu in fast");
  expect(text, "a job that names no QoS gets slow");
}

TEST(Explain, AnAccountSaysItsShare) {
  expect(explained("physics"), "3 of 4 shares below science: 75%");
}

TEST(Explain, AnUnknownNameIsToldTheNearest) { expect(explained("phisics"), "physics"); }

}  // namespace
}  // namespace sluice
