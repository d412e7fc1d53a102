// Oversubscribed nodes: layers of jobs that take turns.
#pragma once

#include <optional>
#include <vector>

#include "policy/placement.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// Whether jobs of this shape may share CPUs in the partition, and how many at most on each.
std::int32_t layers_for(const Partition& partition, const Shape& shape);

// A place in the lowest layer above the ground that has room, memory and GPUs counted as always.
std::optional<Allocation> place_in_layers(const State& state, const Topology& topology,
                                          const Shape& shape, PartitionId partition,
                                          const std::vector<NodeFree>& free);

// Gives every share its place on the node, clear of others in its layer where that can be.
void assign_cpus(const State& state, Allocation& allocation);

// Two jobs want the same CPUs.
bool collide(const Allocation& a, const Allocation& b);

// Who runs until the next slice. `rotate`: those who had their turn go to the back first.
struct GangTurn {
  std::vector<JobId> resume;
  std::vector<JobId> suspend;
};
enum class Rotate : std::uint8_t { kNo, kYes };

// Remembers, per partition, whose turn it is. Derived: a restart begins a new round.
class Gang {
 public:
  // Jobs that share nodes in the partition, in order of their turn.
  GangTurn next(const State& state, PartitionId partition, Rotate rotate);
  // Whether anybody would run if it were his turn.
  static bool anybody_waits(const State& state);

 private:
  struct Member {
    JobId job;
    bool had_turn = false;  // Ran in its own right, not as a filler.
    bool is_new = true;
  };
  std::vector<std::vector<Member>> members_;  // By partition.
};

}  // namespace sluice
