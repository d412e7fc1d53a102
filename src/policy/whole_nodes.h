// When whole nodes are free: how many of each class from when until when, counted, not listed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "policy/rank_bits.h"
#include "policy/reserved_lists.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// Nodes of one class that are free from one time to another, counted together.
struct FreeStretch {
  Instant from;
  Instant until;
  std::uint32_t node_class = 0;
  std::int32_t count = 0;  // May be less than nothing where it corrects another.
};

// A node that nobody is on from some time on is free in stretches, between its reservations. What
// follows from the jobs that run is kept from pass to pass and mended where a node changed; what
// follows from reservations is put on top of it and dropped with them.
class WholeNodes {
 public:
  // As the nodes are now, without reservations.
  void read(const State& state, const Topology& topology);
  // The node is reserved already when reading begins.
  void add_reserved(NodeId node, std::span<const Reserved> reserved);
  // A job is on the node until then.
  void take(NodeId node, Instant until, std::span<const Reserved> reserved);
  // A reservation of nodes is made, which the lists do not have yet.
  void reserve(std::span<const RankRun> nodes, const Reserved& made, const ReservedLists& lists);

  // Each in order of time: nodes that jobs leave (at Instant::min() where nobody is on them), what
  // reservations change about these, and nodes that reservations leave.
  const std::vector<FreeStretch>& from_runs() const { return runs_; }
  const std::vector<FreeStretch>& changes_of_runs() const { return changes_of_runs_; }
  const std::vector<FreeStretch>& from_reservations() const { return reservations_; }
  // Nobody is on the node from then on; Instant::max() where that is not known.
  Instant empty_from(NodeId node) const { return empty_from_[topology_->rank(node)]; }
  // All nodes that nobody is on from then on. Good until somebody else asks.
  const RankBits& empty_by(Instant time);

 private:
  // The stretch of a node in which a reservation is made.
  struct Split {
    Instant from = Instant::max();
    Instant until = Instant::max();
    std::uint32_t node_class = 0;
    bool after_run = true;  // It begins with the end of a run, not of a reservation.
    std::int32_t count = 0;
  };
  Split split_of(NodeId node, const Reserved& made, std::span<const Reserved> reserved) const;
  void apply(const Split& split, const Reserved& made);
  void correct(NodeId node, std::span<const Reserved> reserved, std::int32_t change);
  void set_empty_from(NodeId node, Instant from);
  static Instant look_at(const State& state, NodeId node);

  const Topology* topology_ = nullptr;
  std::vector<FreeStretch> runs_;
  std::vector<FreeStretch> changes_of_runs_;
  std::vector<FreeStretch> reservations_;
  std::vector<Instant> empty_from_;  // By rank.
  // What was asked for since the reading before: searches and passes come back to the same few
  // times.
  struct EmptyBy {
    Instant time;
    bool asked = true;  // Since reading.
    RankBits ranks;
  };
  std::vector<EmptyBy> empty_by_;
  std::uint64_t read_at_ = 0;  // Changes of nodes by then.
};

}  // namespace sluice
