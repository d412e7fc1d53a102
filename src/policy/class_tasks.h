// Requests for whole nodes: what each class of nodes can do for them while no job is on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/node_selection.h"
#include "policy/rank_bits.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// Whether nodes of one class are all the same to it, once no job is on them.
bool goes_by_class(const Shape& shape);

// Whether its nodes follow from how many tasks each class has room for (whole_node_choice.h). For a
// request that goes by class.
bool classes_decide(const Shape& shape, const Wanted& wanted);

// Whether any nodes will do that together have room enough and are enough: it may have as many as
// its tasks could need.
bool any_nodes_suffice(const Wanted& wanted);

// How many tasks fit on a node of each class of the partition while no job is on it; 0 where the
// job may not use it.
void tasks_by_class(const State& state, const Topology& topology, const Shape& shape,
                    PartitionId partition, std::vector<std::int32_t>& out);

// How many tasks each class with room for at least so many has room for; 0 where they differ.
std::int32_t tasks_of_all(std::span<const std::int32_t> tasks, std::int32_t least);

// All nodes of classes with room for so many tasks.
void nodes_of_classes(const Topology& topology, std::span<const std::int32_t> tasks,
                      std::int32_t least, RankBits& out);

// The same, and what was found last is kept: most requests can use the same classes.
class NodesOfClasses {
 public:
  // Good until the next is asked for.
  const RankBits& find(const Topology& topology, std::span<const std::int32_t> tasks,
                       std::int32_t least);
  // The topology may be another from here on.
  void forget() { known_.clear(); }

 private:
  std::vector<std::uint8_t> classes_;
  std::vector<std::uint8_t> known_;  // Of which classes they are.
  RankBits nodes_;
};

}  // namespace sluice
