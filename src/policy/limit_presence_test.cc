#include "policy/limit_presence.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// root, an account below it, a user of that; two QoS; two partitions.
Policy three_levels() {
  Policy policy;
  policy.qos.resize(2);
  policy.partitions.resize(2);
  policy.associations.resize(3);
  policy.associations[1].parent = AssocId(0);
  policy.associations[2].parent = AssocId(1);
  return policy;
}

Shape of_user(std::optional<QosId> qos) {
  Shape shape;
  shape.assoc = AssocId(2);
  shape.qos = qos;
  return shape;
}

bool any(const Policy& policy, std::optional<QosId> qos = QosId(0), PartitionId partition = {}) {
  return LimitPresence(policy).any_before_placement(of_user(qos), partition);
}

TEST(LimitPresence, WithoutLimitsNobodyIsAsked) { EXPECT_FALSE(any(three_levels())); }

TEST(LimitPresence, ALimitHighAboveIsSeen) {
  Policy policy = three_levels();
  policy.associations[0].group.jobs = 10;
  EXPECT_TRUE(any(policy));
}

TEST(LimitPresence, OnlyTheJobsOwnQosAndThePartitionsCount) {
  Policy policy = three_levels();
  policy.qos[1].user.max_jobs = 3;
  EXPECT_FALSE(any(policy));
  EXPECT_TRUE(any(policy, QosId(1)));
  policy.partitions[1].qos = QosId(1);
  EXPECT_FALSE(any(policy, std::nullopt, PartitionId(0)));
  EXPECT_TRUE(any(policy, std::nullopt, PartitionId(1)));
}

TEST(LimitPresence, OfTresOnlyNodesAreCountedBeforePlacement) {
  Policy policy = three_levels();
  policy.associations[1].group.tres.put(kTresCpu, 4);
  EXPECT_FALSE(any(policy));
  policy.associations[1].group.tres.put(kTresNode, 4);
  EXPECT_TRUE(any(policy));
}

TEST(LimitPresence, EveryLimitThatIsLookedAtBeforePlacementIsSeen) {
  const auto sees = [](auto set) {
    Policy policy = three_levels();
    set(policy);
    return any(policy);
  };
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].group.jobs = 1; }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].group.wall = minutes(1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].job.max_wall = minutes(1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].user.max_jobs = 1; }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].account.max_jobs = 1; }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].user.max_tres.put(kTresNode, 1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].account.max_tres.put(kTresNode, 1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.qos[0].job.max_tres.put(kTresNode, 1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.associations[2].max_jobs = 1; }));
  EXPECT_TRUE(sees([](Policy& p) { p.associations[2].group.wall = minutes(1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.associations[2].job.max_wall = minutes(1); }));
  EXPECT_TRUE(sees([](Policy& p) { p.associations[2].job.max_tres.put(kTresNode, 1); }));
}

}  // namespace
}  // namespace sluice
