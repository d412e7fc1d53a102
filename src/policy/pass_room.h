// What a pass gives away: what nodes have free now, less what it keeps and what reservations keep.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "model/reason.h"
#include "policy/cpu_cap.h"
#include "policy/free_nodes.h"
#include "policy/gang.h"
#include "policy/idle_choice.h"
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
    if (!windows_.any()) return place_on(state, shape, partition, kEveryNode);
    return place_on(state, shape, partition,
                    [&](NodeId node) { return windows_.is_open(node, now, now + limit); });
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
  static constexpr auto kEveryNode = [](NodeId) { return true; };
  template <class IsOpen>
  std::optional<Allocation> place_on_candidates(const State& state, const Shape& shape,
                                                PartitionId partition, IsOpen is_open) {
    free_.candidates(shape, partition, candidates_, is_open);
    return place_within_cap(state, topology_, shape, partition, free_.all(), candidates_);
  }
  template <class IsOpen>
  std::optional<Allocation> place_alone(const State& state, const Shape& shape,
                                        PartitionId partition, IsOpen is_open);
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
  IdleChoice idle_choice_;
};

template <class IsOpen>
std::optional<Allocation> PassRoom::place_on(const State& state, const Shape& shape,
                                             PartitionId partition, IsOpen is_open) {
  if (!traits_.shares) return place_alone(state, shape, partition, is_open);
  const NodeBits closed = nodes_closed_to(state, shape, partition);
  const auto may_be_on = [&](NodeId node) { return is_open(node) && !closed.test(node); };
  auto found = place_on_candidates(state, shape, partition, may_be_on);
  if (!found) {
    open_ = free_.all();
    for (NodeId node : topology_.candidates(partition))
      if (!may_be_on(node)) open_[node.index()].usable = false;
    found = place_in_layers(state, topology_, shape, partition, open_);
  }
  return on_its_cpus(state, shape, partition, std::move(found));
}

// Where CPUs are not shared.
template <class IsOpen>
std::optional<Allocation> PassRoom::place_alone(const State& state, const Shape& shape,
                                                PartitionId partition, IsOpen is_open) {
  IdleChoice::Says says;
  if constexpr (std::is_same_v<IsOpen, std::remove_const_t<decltype(kEveryNode)>>)
    says = idle_choice_.look(state, topology_, free_, shape, partition);
  else
    says = idle_choice_.look(state, topology_, free_, shape, partition, is_open);
  std::optional<Allocation> found;
  if (says == IdleChoice::Says::kThese)
    found = sluice::place(topology_, shape, partition, free_.all(), idle_choice_.nodes());
#ifdef SLUICE_CHECKED
  CHECK(says == IdleChoice::Says::kNothing ||
            found == place_on_candidates(state, shape, partition, is_open),
        "a job gets the nodes that its classes say");
#endif
  if (says != IdleChoice::Says::kNothing) return found;
  return place_on_candidates(state, shape, partition, is_open);
}

}  // namespace sluice
