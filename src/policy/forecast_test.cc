#include "policy/forecast.h"

#include <gtest/gtest.h>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// Two nodes of four CPUs; jobs that run are put where the test says.
class Future {
 public:
  Future() : past_(policy()), topology_(past_.state().policy()) {}
  void run(std::uint32_t node, std::int32_t cpus, Duration limit) {
    JobSpec spec = Past::request("", "");
    spec.time_limit = limit;
    spec.cpus_per_task = cpus;
    const JobId job = past_.submit(spec);
    NodeShare share;
    share.node = NodeId(node);
    share.cpus = cpus;
    past_.apply(JobStarted{job, 1, PartitionId(0), Allocation(share)});
  }
  void look() {
    free_.adopt(topology_);
    free_.read(past_.state());
    forecast_.read(past_.state(), topology_, free_, past_.now());
  }
  // Minutes from now, and the nodes: "10 n1".
  std::string earliest(std::int32_t nodes, std::int32_t cpus, Duration limit,
                       Instant latest = Instant::max()) {
    JobSpec spec = Past::request("", "");
    spec.partitions = {"all"};
    spec.min_nodes = nodes;
    spec.cpus_per_task = cpus;
    const Shape shape =
        shape_of(past_.state().policy(), std::make_shared<const JobSpec>(spec), UserId(0));
    const auto found = forecast_.earliest(shape, 0, PartitionId(0), limit, latest);
    if (!found) return "never";
    std::string out = std::to_string(to_seconds(found->start - past_.now()) / 60);
    for (NodeId node : found->nodes) out += " n" + std::to_string(node.value() + 1);
    return out;
  }
  Forecast& forecast() { return forecast_; }
  Instant in(std::int64_t n) const { return past_.now() + minutes(n); }

 private:
  static Policy policy() {
    PolicyBuilder b;
    b.node("n2", 4, 1000);
    b.policy().partitions[0].nodes = {NodeId(0), NodeId(1)};
    return b.policy();
  }
  Past past_;
  Topology topology_;
  FreeNodes free_;
  Forecast forecast_;
};

TEST(Forecast, AJobStartsWhenEnoughHasEnded) {
  Future future;
  future.run(0, 3, minutes(10));
  future.run(1, 3, minutes(20));
  future.look();
  EXPECT_EQ(future.earliest(1, 1, minutes(60)), "0 n1");
  EXPECT_EQ(future.earliest(1, 2, minutes(60)), "10 n1");
  EXPECT_EQ(future.earliest(2, 2, minutes(60)), "20 n1 n2");
  EXPECT_EQ(future.earliest(2, 2, minutes(60), future.in(15)), "never");
}

TEST(Forecast, APlannedJobHasItsNodesForItself) {
  Future future;
  future.run(0, 3, minutes(10));
  future.run(1, 4, minutes(60));
  future.look();
  const NodeId first(0);
  future.forecast().reserve({&first, 1}, future.in(10), future.in(20));
  EXPECT_EQ(future.earliest(1, 1, minutes(10)), "0 n1");   // Gone by then.
  EXPECT_EQ(future.earliest(1, 1, minutes(11)), "20 n1");  // One CPU would be free, but planned.
  EXPECT_TRUE(future.forecast().is_open(NodeId(0), future.in(20), future.in(30)));
  EXPECT_FALSE(future.forecast().is_open(NodeId(0), future.in(0), future.in(11)));
}

TEST(Forecast, WhatStartsNowTakesItsShareUntilItsEnd) {
  Future future;
  future.look();
  EXPECT_EQ(future.earliest(1, 4, minutes(5)), "0 n1");
  NodeShare share;
  share.cpus = 4;
  future.forecast().start(Allocation(share), future.in(30));
  future.run(0, 4, minutes(30));
  EXPECT_EQ(future.earliest(1, 4, minutes(5)), "0 n2");
  EXPECT_EQ(future.earliest(2, 4, minutes(5)), "30 n1 n2");
}

}  // namespace
}  // namespace sluice
