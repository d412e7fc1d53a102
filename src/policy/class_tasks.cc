// Capacity is all that counts on idle nodes.
#include "policy/class_tasks.h"

#include <algorithm>

#include "policy/placement.h"

namespace sluice {

bool goes_by_class(const Shape& shape) {
  return shape.exclusive && !shape.chooses_nodes && shape.request->require_nodes.empty() &&
         shape.request->exclude_nodes.empty() && !asks_gpus_per_job(shape);
}

bool classes_decide(const Shape& shape, const Wanted& wanted) {
  return shape.gpus.empty() && !shape.chooses_nodes && wanted.pick == Pick::kTightest &&
         !shape.request->constraint.same_for_all_nodes && !shape.prefers;
}

bool any_nodes_suffice(const Wanted& wanted) {
  return wanted.most_nodes >=
         std::max<std::int64_t>({wanted.tasks, wanted.nodes, wanted.least_nodes});
}

std::int32_t tasks_of_all(std::span<const std::int32_t> tasks, std::int32_t least) {
  std::int32_t all = 0;
  for (const std::int32_t here : tasks) {
    if (here < least || here == 0) continue;
    if (all != 0 && all != here) return 0;
    all = here;
  }
  return all;
}

void tasks_by_class(const State& state, const Topology& topology, const Shape& shape,
                    PartitionId partition, std::vector<std::int32_t>& out) {
  out.assign(topology.class_count(), 0);
  const bool any_node = takes_any_node(shape);
  for (std::uint32_t number : topology.classes(partition)) {
    const NodeId first = topology.first_of_class(number);
    if (!any_node && !may_use(topology, shape, first) && shape.request->exclude_nodes.empty())
      continue;
    const NodeUse& use = state.nodes()[first.index()];
    const NodeFree idle{use.cpus, 0, use.memory, use.gpus, true, false};
    out[number] = tasks_there(topology, shape, first, idle);
  }
}

void nodes_of_classes(const Topology& topology, std::span<const std::int32_t> tasks,
                      std::int32_t least, RankBits& out) {
  const auto nodes = static_cast<std::uint32_t>(topology.node_count());
  out.resize(nodes);
  for (std::uint32_t rank = 0; rank < nodes; rank = topology.alike_until(rank))
    if (tasks[topology.class_of(topology.at_rank(rank))] >= least)
      out.set({rank, topology.alike_until(rank) - rank});
}

const RankBits& NodesOfClasses::find(const Topology& topology, std::span<const std::int32_t> tasks,
                                     std::int32_t least) {
  classes_.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) classes_[i] = tasks[i] >= least ? 1 : 0;
  if (known_ != classes_) {
    known_ = classes_;
    nodes_of_classes(topology, tasks, least, nodes_);
  }
  return nodes_;
}

}  // namespace sluice
