// Where a job for whole nodes can be at once: idle nodes by class and by runs of neighbours,
// instead of node by node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/free_nodes.h"
#include "policy/rank_bits.h"
#include "policy/topology.h"
#include "policy/whole_node_choice.h"
#include "state/state.h"

namespace sluice {

// Says which of the candidates placement needs to look at; it gives the job the same nodes then.
class IdleChoice {
 public:
  enum class Says : std::uint8_t {
    kNothing,  // The job does not go by class: all candidates are to be looked at.
    kNoRoom,   // There is none on any of them.
    kThese,    // The job gets all of nodes().
  };
  // is_open(node): whether it may be used. Those of `free` that the pass closed are not.
  template <class IsOpen>
  Says look(const State& state, const Topology& topology, const FreeNodes& free, const Shape& shape,
            PartitionId partition, IsOpen is_open) {
    if (!begin(state, topology, free, shape, partition)) return Says::kNothing;
    usable_.for_each([&](std::uint32_t rank) {
      if (!is_open(topology.at_rank(rank))) usable_.reset({rank, 1});
      return true;
    });
    return choose(topology, shape);
  }
  // The same where every node may be used.
  Says look(const State& state, const Topology& topology, const FreeNodes& free, const Shape& shape,
            PartitionId partition) {
    return begin(state, topology, free, shape, partition) ? choose(topology, shape)
                                                          : Says::kNothing;
  }
  std::span<const NodeId> nodes() const { return *nodes_; }

 private:
  bool begin(const State& state, const Topology& topology, const FreeNodes& free,
             const Shape& shape, PartitionId partition);
  Says choose(const Topology& topology, const Shape& shape);
  bool has_room(const Topology& topology, const Shape& shape) const;

  Wanted wanted_;
  std::vector<std::int32_t> tasks_;  // By class.
  RankBits usable_;
  WholeNodeChoice choice_;
  const std::vector<NodeId>* nodes_ = nullptr;
};

}  // namespace sluice
