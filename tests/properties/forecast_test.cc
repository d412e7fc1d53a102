// The walk along openings finds what looking everywhere finds.
#include "policy/forecast.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "policy/past_for_tests.h"
#include "policy/request_kinds.h"

namespace sluice {
namespace {

std::string text_of(const Earliest* found, Instant now) {
  if (found == nullptr) return "never";
  std::string out = std::to_string((found->start - now).count());
  std::vector<NodeId> nodes = found->nodes;
  std::sort(nodes.begin(), nodes.end());
  for (NodeId node : nodes) out += " n" + std::to_string(node.value() + 1);
  return out;
}

Shape random_shape(const Policy& policy) {
  JobSpec spec = Past::request("", "");
  spec.partitions = {"all"};
  spec.tasks = *rc::gen::inRange(1, 12);
  spec.cpus_per_task = *rc::gen::inRange(1, 4);
  if (*rc::gen::inRange(0, 2) == 0) spec.min_nodes = *rc::gen::inRange(1, 4);
  if (*rc::gen::inRange(0, 3) == 0)
    spec.max_nodes = spec.min_nodes.value_or(1) + *rc::gen::inRange(0, 3);
  if (*rc::gen::inRange(0, 3) == 0) spec.memory = MemoryRequest{MemoryPer::kCpu, 100};
  if (*rc::gen::inRange(0, 6) == 0) spec.sharing = NodeSharing::kExclusive;
  return shape_of(policy, std::make_shared<const JobSpec>(spec), UserId(0));
}

// Jobs that run here and there, of all lengths.
void fill(Past& past, const Policy& policy) {
  const int jobs = *rc::gen::inRange(0, 14);
  std::vector<std::int32_t> left;
  for (const Node& node : policy.nodes) left.push_back(node.cpus);
  for (int i = 0; i < jobs; ++i) {
    const auto node = *rc::gen::inRange<std::size_t>(0, left.size());
    const std::int32_t cpus = *rc::gen::inRange(1, 5);
    if (cpus > left[node]) continue;
    left[node] -= cpus;
    JobSpec spec = Past::request("", "");
    spec.time_limit = minutes(*rc::gen::inRange(1, 12) * 10);
    NodeShare share;
    share.node = NodeId(static_cast<std::uint32_t>(node));
    share.cpus = cpus;
    const JobId job = past.submit(spec);
    past.apply(JobStarted{job, 1, PartitionId(0), Allocation(share)});
  }
}

TEST(ForecastProperties, OpeningsLeadToTheEarliestStart) {
  EXPECT_TRUE(rc::check([] {
    PolicyBuilder b;
    const int nodes = *rc::gen::inRange(1, 6);
    b.policy().partitions[0].nodes = {NodeId(0)};
    for (int i = 0; i < nodes; ++i) {
      b.node("m" + std::to_string(i), *rc::gen::inRange(1, 9), 1000);
      b.policy().nodes.back().weight = *rc::gen::inRange(1, 3);
      if (*rc::gen::inRange(0, 5) > 0)
        b.policy().partitions[0].nodes.push_back(NodeId(static_cast<std::uint32_t>(i + 1)));
    }
    Past past(b.policy());
    const Topology topology(past.state().policy());
    fill(past, past.state().policy());
    FreeNodes free;
    free.adopt(topology);
    free.read(past.state());
    Forecast forecast;
    forecast.read(past.state(), topology, free, past.now());
    Forecast everywhere;
    everywhere.read(past.state(), topology, free, past.now());
    RequestKinds kinds;
    const Instant latest = past.now() + minutes(*rc::gen::inRange(30, 600));
    for (int i = 0; i < 25; ++i) {
      const Shape shape = random_shape(past.state().policy());
      const Duration limit = minutes(*rc::gen::inRange(1, 12) * 5);
      const std::string plain =
          text_of(everywhere.earliest_anywhere(shape, PartitionId(0), limit, latest), past.now());
      const Earliest* found =
          forecast.earliest(shape, kinds.kind_of(shape), PartitionId(0), limit, latest);
      RC_ASSERT(text_of(found, past.now()) == plain);
      if (found == nullptr) continue;
      forecast.reserve(found->nodes, found->start, found->start + limit);
      everywhere.reserve(found->nodes, found->start, found->start + limit);
    }
  }));
}

}  // namespace
}  // namespace sluice
