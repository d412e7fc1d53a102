// Reasons print as slurmctld 22.05 spells them.
#include "model/reason.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string word(Rule rule, LimitHolder holder, TresIndex tres, const TresRegistry& registry) {
  return slurm_word(Reason{.rule = rule, .holder = holder, .tres = tres}, registry);
}

TEST(Reason, GroupLimitsAreNamedAfterTheirHolderAndDimension) {
  TresRegistry tres;
  const TresIndex a100 = tres.add("gres/gpu:a100").value();
  EXPECT_EQ(word(Rule::kGrpTres, LimitHolder::kJobQos, kTresGpu, tres), "QOSGrpGRES");
  EXPECT_EQ(word(Rule::kGrpTres, LimitHolder::kPartitionQos, kTresMem, tres), "QOSGrpMemLimit");
  EXPECT_EQ(word(Rule::kGrpTres, LimitHolder::kAssociation, kTresCpu, tres), "AssocGrpCpuLimit");
  EXPECT_EQ(word(Rule::kMaxTresPerUser, LimitHolder::kJobQos, a100, tres), "QOSMaxGRESPerUser");
  EXPECT_EQ(word(Rule::kMaxWall, LimitHolder::kJobQos, {}, tres), "QOSMaxWallDurationPerJobLimit");
  EXPECT_EQ(word(Rule::kMaxJobsPerUser, LimitHolder::kAssociation, {}, tres), "AssocMaxJobsLimit");
}

TEST(Reason, EveryWordLeadsBackToItsRule) {
  TresRegistry tres;
  for (int rule = 0; rule <= static_cast<int>(Rule::kMaxMemoryPerLimit); ++rule) {
    const auto known = static_cast<Rule>(rule);
    // These two share the words of the group limit.
    if (known == Rule::kMaxTresRunMinutesPerUser || known == Rule::kMaxTresRunMinutesPerAccount)
      continue;
    if (known == Rule::kNodeReserved) continue;  // Slurm says of both ReqNodeNotAvail.
    EXPECT_EQ(rule_of_word(word(known, LimitHolder::kJobQos, kTresCpu, tres)), known);
  }
  EXPECT_EQ(rule_of_word("NoSuchReason"), std::nullopt);
}

}  // namespace
}  // namespace sluice
