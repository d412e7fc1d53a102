#include "engine/adoption.h"

#include <algorithm>

namespace sluice {
namespace {

// Less of anything that a job may hold. GPUs are held by their place in the list.
bool shrinks(const Node& now, const Node& then) {
  return then.cpus < now.cpus || then.memory_mb < now.memory_mb ||
         then.gpus.size() < now.gpus.size() ||
         !std::equal(now.gpus.begin(), now.gpus.end(), then.gpus.begin(),
                     [](const Gpu& a, const Gpu& b) { return a.type == b.type; });
}

}  // namespace

std::string adoption_problem(const State& state, const Policy& next) {
  if (!state.has_policy()) return {};
  const Policy& now = state.policy();
  std::string problem;
  state.for_each_job([&](const Job& job) {
    const Shape& shape = state.shape_of_job(job);
    if (holds_nodes(job.state))
      for (const NodeShare& share : state.run_of(job).allocation.shares()) {
        const std::string& name = now.nodes[share.node.index()].name;
        const auto kept = next.find_node(name);
        if (!kept || shrinks(now.nodes[share.node.index()], next.nodes[kept->index()]))
          problem = "node " + name + " is used by job " + std::to_string(job.id.value()) +
                    " and cannot leave or shrink";
      }
    if (!has_ended(job.state))
      for (const std::string& name : shape.request->partitions)
        if (!next.find_partition(name))
          problem = "partition " + name + " is used by job " + std::to_string(job.id.value()) +
                    " and cannot leave";
  });
  return problem;
}

}  // namespace sluice
