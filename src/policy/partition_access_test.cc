// What partitions ask of jobs that wait for them.
#include "policy/partition_access.h"

#include <gtest/gtest.h>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

class PartitionGate : public ::testing::Test {
 protected:
  PartitionGate() {
    b_.qos("normal", 0).account("team", "root", 1).user("ann", "team", 1);
    spec_ = Past::request("ann", "team");
    spec_.qos = "normal";
    spec_.partitions = {"all"};
    spec_.time_limit = minutes(10);
  }
  Partition& all() { return b_.policy().partitions[0]; }
  QosFlags& flags() { return b_.policy().qos[0].flags; }
  std::string word() {
    Past past(b_.policy());
    const Shape shape =
        shape_of(past.state().policy(), std::make_shared<const JobSpec>(spec_), UserId(0));
    const auto reason = partition_gate(past.state(), shape, PartitionId(0), shape.limit);
    return reason ? slurm_word(*reason, past.state().policy().tres) : "-";
  }
  PolicyBuilder b_;
  JobSpec spec_;
};

TEST_F(PartitionGate, BoundsTheNodesUnlessTheQosOverridesIt) {
  b_.policy().nodes.resize(4, b_.policy().nodes[0]);
  all().nodes = {NodeId(0), NodeId(1), NodeId(2), NodeId(3)};
  all().max_nodes = 2;
  spec_.min_nodes = 3;
  EXPECT_EQ(word(), "PartitionNodeLimit");
  flags().partition_max_nodes = true;
  EXPECT_EQ(word(), "-");
  all().max_nodes.reset();
  all().min_nodes = 4;
  EXPECT_EQ(word(), "PartitionNodeLimit") << "it may use more, and begins with fewer";
  flags().partition_min_nodes = true;
  EXPECT_EQ(word(), "-");
}

TEST_F(PartitionGate, BoundsTheTimeUnlessTheQosOverridesIt) {
  all().max_time = minutes(5);
  EXPECT_EQ(word(), "PartitionTimeLimit");
  spec_.time_min = minutes(4);
  EXPECT_EQ(word(), "-") << "the job would do with less";
  spec_.time_min.reset();
  flags().partition_time_limit = true;
  EXPECT_EQ(word(), "-");
}

TEST_F(PartitionGate, IsTooSmallForSome) {
  spec_.min_nodes = 2;
  EXPECT_EQ(word(), "PartitionNodeLimit");
  spec_.min_nodes = 1;
  spec_.tasks = 5;
  EXPECT_EQ(word(), "PartitionConfig");
  all().max_mem_per_node_mb = 100;
  spec_.tasks = 2;
  spec_.memory = MemoryRequest{MemoryPer::kCpu, 60};
  EXPECT_EQ(word(), "-") << "its tasks may be on two nodes";
  spec_.max_nodes = 1;
  EXPECT_EQ(word(), "MaxMemPerLimit");
  spec_.memory->mb = 50;
  EXPECT_EQ(word(), "-");
}

TEST_F(PartitionGate, IsShutWhileThePartitionIsDownOrInactive) {
  all().state = PartitionState::kDown;
  EXPECT_EQ(word(), "PartitionDown");
  all().state = PartitionState::kInactive;
  EXPECT_EQ(word(), "PartitionInactive");
  all().state = PartitionState::kDrain;
  EXPECT_EQ(word(), "-") << "what was queued before still starts";
}

TEST_F(PartitionGate, KnowsWhichAccountsAndQosMayPass) {
  all().allow_accounts = {"other"};
  EXPECT_EQ(word(), "AccountNotAllowed");
  all().allow_accounts = {"other", "team"};
  all().deny_accounts = {"team"};
  EXPECT_EQ(word(), "-") << "a deny list counts only where nothing is allowed";
  all().allow_accounts.clear();
  EXPECT_EQ(word(), "AccountNotAllowed");
  all().deny_accounts.clear();
  all().deny_qos = {"normal"};
  EXPECT_EQ(word(), "QOSNotAllowed");
  all().allow_qos = {"normal"};
  EXPECT_EQ(word(), "-");
}

TEST_F(PartitionGate, LooksAtTheGroupsOfAUser) {
  all().allow_groups = {"gpu"};
  EXPECT_FALSE(group_allowed(b_.policy(), "ann", PartitionId(0)));
  EXPECT_TRUE(group_allowed(b_.policy(), "root", PartitionId(0)));
  b_.policy().users.emplace_back().name = "ann";
  b_.policy().users[0].groups = {"staff", "gpu"};
  EXPECT_TRUE(group_allowed(b_.policy(), "ann", PartitionId(0)));
}

}  // namespace
}  // namespace sluice
