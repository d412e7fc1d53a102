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

// A machine of some kinds of nodes that are given away whole, from one reading to the next.
class Machine {
 public:
  Machine() : past_(policy()), topology_(past_.state().policy()) {
    free_.adopt(topology_);
    for (int jobs = *rc::gen::inRange(0, 25); jobs > 0; --jobs) begin_somewhere();
  }

  // Plans one request after the other, and starts some of those that can start at once.
  void plan() {
    free_.read(past_.state());
    quick_.read(past_.state(), topology_, free_, past_.now());
    plain_.read(past_.state(), topology_, free_, past_.now());
    const Instant latest = past_.now() + minutes(*rc::gen::inRange(60, 3000));
    for (int i = *rc::gen::inRange(1, 50); i > 0; --i) {
      const auto spec = request();
      const Shape shape = shape_of(past_.state().policy(), spec, UserId(0));
      const Duration limit = some_limit();
      const std::string everywhere =
          text_of(plain_.earliest_anywhere(shape, PartitionId(0), limit, latest), past_.now());
      const Earliest* found =
          quick_.earliest(shape, kinds_.kind_of(shape), PartitionId(0), limit, latest);
      RC_ASSERT(text_of(found, past_.now()) == everywhere);
      if (found == nullptr) continue;
      if (found->start == past_.now() && *rc::gen::inRange(0, 3) == 0) {
        begin(*spec, found->nodes, limit);
      } else {
        quick_.reserve(found->nodes, found->start, found->start + limit);
        plain_.reserve(found->nodes, found->start, found->start + limit);
      }
    }
  }

  // Jobs end and begin, nodes come and go.
  void pass_time() {
    past_.pass(seconds(*rc::gen::inRange(0, 1000)));
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const auto& ends = past_.state().expected_ends();
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          begin_somewhere();
          break;
        case 1:
          past_.apply(NodeChanged{
              any_node(), *rc::gen::element(NodeState::kUp, NodeState::kDown, NodeState::kDraining),
              "because"});
          break;
        default:
          if (ends.empty()) break;
          const JobId job = ends[*rc::gen::inRange<std::size_t>(0, ends.size())].job;
          past_.apply(JobEnded{job, past_.state().job(job).attempt, {}});
      }
    }
  }

 private:
  static Policy policy() {
    PolicyBuilder b;
    Policy& policy = b.policy();
    policy.nodes.clear();
    policy.partitions[0].nodes.clear();
    for (int kinds = *rc::gen::inRange(1, 4); kinds > 0; --kinds) {
      Node node;
      node.cpus = *rc::gen::element(4, 4, 4, 8);
      node.memory_mb = 1000 * *rc::gen::inRange(1, 3);
      node.weight = *rc::gen::inRange(1, 3);
      for (int i = *rc::gen::inRange(1, 70); i > 0; --i) {
        node.name = "n" + std::to_string(policy.nodes.size() + 1);
        if (*rc::gen::inRange(0, 20) > 0)
          policy.partitions[0].nodes.push_back(
              NodeId(static_cast<std::uint32_t>(policy.nodes.size())));
        policy.nodes.push_back(node);
      }
    }
    if (*rc::gen::inRange(0, 4) > 0) policy.scheduler.type = SchedulerType::kBackfill;
    policy.scheduler.backfill_busy_nodes = *rc::gen::inRange(0, 8) == 0;
    return policy;
  }
  static Duration some_limit() { return minutes(*rc::gen::inRange(1, 25) * 5); }
  NodeId any_node() const {
    const std::size_t nodes = past_.state().policy().nodes.size();
    return NodeId(static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(0, nodes)));
  }
  std::shared_ptr<const JobSpec> request() const {
    const std::size_t nodes = past_.state().policy().nodes.size();
    const auto size = static_cast<std::int32_t>(*rc::gen::inRange<std::size_t>(1, nodes / 2 + 2));
    JobSpec spec = Past::request("", "");
    spec.partitions = {"all"};
    spec.sharing = NodeSharing::kExclusive;
    spec.tasks = 4 * size;
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        spec.min_nodes = size;
        break;
      case 1:
        spec.min_nodes = size;
        spec.max_nodes = size + *rc::gen::inRange(0, 3);
        break;
      case 2:
        spec.tasks = *rc::gen::inRange(1, 9);
        break;
      case 3:
        spec.cpus_per_task = *rc::gen::inRange(1, 6);
        break;
      default:
        break;
    }
    return std::make_shared<const JobSpec>(spec);
  }
  void begin(JobSpec spec, const std::vector<NodeId>& nodes, Duration limit) {
    Allocation allocation;
    for (NodeId node : nodes)
      allocation.add({.node = node, .cpus = past_.state().policy().nodes[node.index()].cpus});
    spec.time_limit = limit;
    const JobId job = past_.submit(spec);
    quick_.start(allocation, past_.now() + limit);
    plain_.start(allocation, past_.now() + limit);
    free_.take(allocation);
    past_.apply(JobStarted{job, 1, PartitionId(0), allocation});
  }
  // On nodes that follow each other, as far as they are idle.
  void begin_somewhere() {
    free_.read(past_.state());
    const std::vector<NodeUse>& all = past_.state().nodes();
    std::vector<NodeId> nodes;
    const std::size_t first = any_node().index();
    const auto last = std::min(all.size(), first + *rc::gen::inRange<std::size_t>(1, 40));
    for (std::size_t i = first; i < last; ++i)
      if (all[i].jobs == 0 && all[i].state == NodeState::kUp)
        nodes.push_back(NodeId(static_cast<std::uint32_t>(i)));
    if (nodes.empty()) return;
    quick_.read(past_.state(), topology_, free_, past_.now());
    plain_.read(past_.state(), topology_, free_, past_.now());
    JobSpec spec = Past::request("", "");
    spec.sharing = NodeSharing::kExclusive;
    begin(spec, nodes, some_limit());
  }

  Past past_;
  Topology topology_;
  FreeNodes free_;
  Forecast quick_;
  Forecast plain_;
  RequestKinds kinds_;
};

TEST(ForecastProperties, WholeNodesAreCountedAsLookingEverywhereFindsThem) {
  EXPECT_TRUE(rc::check([] {
    Machine machine;
    for (int readings = 0; readings < 4; ++readings) {
      machine.plan();
      machine.pass_time();
    }
  }));
}

}  // namespace
}  // namespace sluice
