// What the nodes have free, kept from pass to pass and read again only where something changed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policy/passes.h"
#include "policy/placement.h"
#include "policy/rank_bits.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

class FreeNodes {
 public:
  explicit FreeNodes(Passes passes = Passes::kQuick) : plain_(passes == Passes::kPlain) {}

  // To be called when a policy comes into force.
  void adopt(const Topology& topology);

  // As the nodes are now; what a pass closed is open again.
  void read(const State& state);
  // The same after the state changed in the middle of a pass: what it closed stays closed.
  void follow(const State& state);

  bool is_plain() const { return plain_; }
  const std::vector<NodeFree>& all() const { return all_; }
  const NodeFree& operator[](NodeId node) const { return all_[node.index()]; }

  void take(const Allocation& allocation);
  // Kept from the rest of the pass: one node, or all of a partition.
  void close(NodeId node);
  void close(PartitionId partition);

  // CPUs free on all nodes together.
  std::int64_t room() const { return room_; }
  // Nodes of the partition that are up and not closed.
  std::int64_t usable_in(PartitionId partition) const;
  // Nodes that are up and that no job is on. Those of a closed class are among them.
  const RankBits& idle() const { return idle_; }
  bool is_open(std::uint32_t node_class) const { return closed_classes_[node_class] == 0; }
  // Calls visit(node) for at least the nodes with so many CPUs free, and few others, in order of
  // their names, for as long as it returns true.
  template <class Visit>
  void for_each_with_cpus(std::int32_t cpus, Visit visit) const {
    for_each(with_cpus(cpus), visit);
  }

  // Those of the partition that could have room for a part of the job, in the partition's order.
  // They may be filtered further: keep(node).
  template <class Keep>
  void candidates(const Shape& shape, PartitionId partition, std::vector<NodeId>& out,
                  Keep keep) const {
    out.clear();
    if (plain_) {
      for (NodeId node : topology_->candidates(partition))
        if (keep(node)) out.push_back(node);
      return;
    }
    const std::vector<std::uint32_t>& places = topology_->places(partition);
    for_each(shape.exclusive ? idle_ : with_cpus(least_cpus(shape)), [&](NodeId node) {
      if (places[node.index()] != Topology::kNowhere && is_open(topology_->class_of(node)) &&
          keep(node))
        out.push_back(node);
      return true;
    });
  }

 private:
  // Level k holds the nodes with at least 2^k CPUs free.
  static constexpr std::size_t kLevels = 11;
  template <class Visit>
  void for_each(const RankBits& ranks, Visit visit) const {
    ranks.for_each([&](std::uint32_t rank) { return visit(topology_->at_rank(rank)); });
  }
  const RankBits& with_cpus(std::int32_t cpus) const;
  static std::int32_t least_cpus(const Shape& shape);
  static std::size_t levels_of(std::int32_t cpus);
  void set(NodeId node, const NodeFree& now);
  void update(NodeId node, const NodeFree& before);
  void read_all(const State& state);

  bool plain_;
  const Topology* topology_ = nullptr;
  std::vector<NodeFree> all_;
  std::int64_t room_ = 0;
  std::array<RankBits, kLevels> levels_;
  RankBits idle_;
  std::vector<std::int32_t> usable_;          // By class.
  std::vector<std::uint8_t> closed_classes_;  // By class.
  bool any_class_closed_ = false;
  std::vector<NodeId> closed_;
  std::uint64_t read_at_ = 0;  // Changes of nodes by then.
};

}  // namespace sluice
