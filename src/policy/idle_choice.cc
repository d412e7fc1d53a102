// Counts first: most that wait lack nodes.
#include "policy/idle_choice.h"

#include <algorithm>

#include "policy/class_tasks.h"
#include "policy/wanted_nodes.h"

namespace sluice {

bool IdleChoice::begin(const State& state, const Topology& topology, const FreeNodes& free,
                       const Shape& shape, PartitionId partition) {
  // Suspended jobs keep memory and GPUs of nodes, and CPUs of a partition may be capped.
  if (free.is_plain() || !goes_by_class(shape) || !state.suspended().empty() ||
      topology.policy().partitions[partition.index()].max_cpus_per_node)
    return false;
  wanted_ = wanted_nodes(topology, shape, partition);
  if (!classes_decide(shape, wanted_)) return false;
  tasks_by_class(state, topology, shape, partition, tasks_);
  for (std::uint32_t number : topology.classes(partition))
    if (!free.is_open(number)) tasks_[number] = 0;
  nodes_of_classes(topology, tasks_, wanted_.most_nodes == 1 ? std::max(1, shape.tasks) : 1,
                   usable_);
  usable_.keep(free.idle());
  return true;
}

bool IdleChoice::has_room(const Topology& topology, const Shape& shape) const {
  const auto all = static_cast<std::uint32_t>(topology.node_count());
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;
  for (std::uint32_t rank = 0; rank < all; rank = topology.alike_until(rank)) {
    const std::int32_t each = tasks_[topology.class_of(topology.at_rank(rank))];
    if (each == 0) continue;
    const std::int64_t here = usable_.count({rank, topology.alike_until(rank) - rank});
    nodes += here;
    tasks += here * each;
    if (nodes >= wanted_.least_nodes && tasks >= shape.tasks) return true;
  }
  return false;
}

IdleChoice::Says IdleChoice::choose(const Topology& topology, const Shape& shape) {
  if (wanted_.most_nodes < wanted_.least_nodes || !has_room(topology, shape)) return Says::kNoRoom;
  nodes_ = choice_.find(topology, usable_, tasks_, wanted_);
  return nodes_ == nullptr ? Says::kNothing : Says::kThese;
}

}  // namespace sluice
