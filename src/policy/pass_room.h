// What a pass gives away: what nodes have free now, less what it keeps and what reservations keep.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/reason.h"
#include "policy/cpu_cap.h"
#include "policy/free_nodes.h"
#include "policy/gang.h"
#include "policy/job_windows.h"
#include "policy/placement.h"
#include "policy/policy_traits.h"
#include "policy/shared_nodes.h"

namespace sluice {

class PassRoom {
 public:
  PassRoom(Passes passes, const Topology& topology, const PolicyTraits& traits)
      : topology_(topology), traits_(traits), free_(passes) {}

  // To be called when a policy comes into force.
  void adopt();

  // As the nodes are now.
  void read(const State& state) { free_.read(state); }
  // After jobs were suspended in the middle of a pass; what it keeps stays kept.
  void follow(const State& state) { free_.follow(state); }
  const FreeNodes& free() const { return free_; }

  // Whether the cluster's reservations bind the jobs of this pass.
  void heed_reservations(const State& state) { reserves_ = !state.reservations().empty(); }
  bool reserves() const { return reserves_; }
  // What reservations leave to the job that is looked at from here on.
  void look_through(const State& state, const Shape& shape, Instant now);
  const JobWindows& windows() const { return windows_; }
  // Its reservation has not begun, or is gone.
  std::optional<Reason> reservation_gate(Instant now) const;

  // Where the job could be for so long, on free CPUs or in a layer of an oversubscribed node.
  std::optional<Allocation> place(const State& state, const Shape& shape, PartitionId partition,
                                  Instant now, Duration limit) {
    const bool all = !windows_.any();
    return place_on(state, shape, partition,
                    [&](NodeId node) { return all || windows_.is_open(node, now, now + limit); });
  }
  // The same on nodes for which is_open(node).
  template <class IsOpen>
  std::optional<Allocation> place_on(const State& state, const Shape& shape, PartitionId partition,
                                     IsOpen is_open);
  // All nodes, without those that reservations keep from the job until then.
  const std::vector<NodeFree>& open_nodes(Instant now, Instant end);

  void take(const Allocation& allocation) { free_.take(allocation); }
  // Kept from the rest of the pass.
  void close(NodeId node) { free_.close(node); }
  void close(PartitionId partition);
  bool has_too_few_nodes(const Shape& shape, PartitionId partition) const {
    return free_.usable_in(partition) < shape.min_nodes;
  }

 private:
  static std::optional<Allocation> on_its_cpus(const State& state, const Shape& shape,
                                               PartitionId partition,
                                               std::optional<Allocation> found);

  const Topology& topology_;
  const PolicyTraits& traits_;
  FreeNodes free_;
  bool reserves_ = false;
  JobWindows windows_;
  std::vector<NodeFree> open_;
  std::vector<NodeId> candidates_;
};

template <class IsOpen>
std::optional<Allocation> PassRoom::place_on(const State& state, const Shape& shape,
                                             PartitionId partition, IsOpen is_open) {
  NodeBits closed;
  if (traits_.shares) closed = nodes_closed_to(state, shape, partition);
  const auto may_be_on = [&](NodeId node) {
    return is_open(node) && (!traits_.shares || !closed.test(node));
  };
  free_.candidates(shape, partition, candidates_, may_be_on);
  auto found = place_within_cap(state, topology_, shape, partition, free_.all(), candidates_);
  if (!traits_.shares) return found;
  if (!found) {
    open_ = free_.all();
    for (NodeId node : topology_.candidates(partition))
      if (!may_be_on(node)) open_[node.index()].usable = false;
    found = place_in_layers(state, topology_, shape, partition, open_);
  }
  return on_its_cpus(state, shape, partition, std::move(found));
}

}  // namespace sluice
