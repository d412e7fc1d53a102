// What the nodes will have later, if everybody runs to the limit.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "policy/openings.h"
#include "policy/placement.h"
#include "state/state.h"

namespace sluice {

// A node's resources from a time on. They only grow: what is planned for waiting jobs is kept
// apart, in reservations of whole nodes.
struct NodeStep {
  Instant from;
  NodeFree free;
};

struct Reserved {
  Instant from;
  Instant until;
};

struct Earliest {
  Instant start;
  std::vector<NodeId> nodes;
};

class Forecast {
 public:
  // Starts anew from what is free now and the ends of what holds nodes.
  void read(const State& state, const std::vector<NodeFree>& free, Instant now);

  // The same after jobs were told to leave: reservations stay.
  void read_again(const State& state, const std::vector<NodeFree>& free);
  Instant now() const { return now_; }

  // The job takes these nodes now; later steps have less, until it ends.
  void start(const Allocation& allocation, Instant end);

  // The nodes are for nobody else meanwhile.
  void reserve(const std::vector<NodeId>& nodes, Instant from, Instant until);

  // When and where the job could start at the earliest, no later than `latest`.
  std::optional<Earliest> earliest(const Topology& topology, const Shape& shape,
                                   PartitionId partition, Duration limit,
                                   Instant latest = Instant::max());

  // The same by looking at every node at every time, which any job can be placed by.
  std::optional<Earliest> earliest_anywhere(const Topology& topology, const Shape& shape,
                                            PartitionId partition, Duration limit,
                                            Instant latest = Instant::max());

  // What the nodes have at that time.
  void free_at(Instant time, std::vector<NodeFree>& out) const;

  // Whether the node is free of reservations during the time.
  bool is_open(NodeId node, Instant from, Instant until) const;

 private:
  struct NodeLine {
    std::vector<NodeStep> steps;     // The first is now.
    std::vector<Reserved> reserved;  // In order of time.
  };
  void read_steps(const State& state, const std::vector<NodeFree>& free);
  std::optional<Instant> earliest_on(const Topology& topology, const Shape& shape, NodeId node,
                                     std::int32_t tasks, Duration limit) const;
  const NodeFree& at(const NodeLine& line, Instant time) const;

  // Calls visit(opening) for each opening of the node from `begin` to before `end`.
  template <class Visit>
  void each_opening(NodeId node, Instant begin, Instant end, Visit visit) const;
  template <class Visit>
  void each_opening(NodeId node, Visit visit) const;
  void split_opening(NodeId node, std::size_t reservation);
  void fill_openings();
  void fill_openings_as_read();
  std::optional<Earliest> earliest_along_openings(const Topology& topology, const Shape& shape,
                                                  PartitionId partition, Duration limit,
                                                  Instant latest);
  std::optional<Earliest> first_usable(const Topology& topology, const Shape& shape,
                                       PartitionId partition, Instant time) const;
  std::optional<Earliest> place_on_usable(const Topology& topology, const Shape& shape,
                                          PartitionId partition, Instant time);

  Instant now_{};
  std::vector<NodeLine> lines_;
  Openings openings_;
  bool openings_filled_ = false;  // Only when somebody asks.
  // Where steps begin after the first, in order of time; as long as nothing has started or was
  // reserved since they were read.
  struct StepAt {
    Instant from;
    NodeId node;
    std::uint32_t step = 0;
  };
  std::vector<StepAt> read_;
  bool as_read_ = false;
  // Of a search: the nodes that could be used at the time it has come to.
  struct Usable {
    Instant last;  // A start after this would run into a reservation.
    NodeId node;
    std::int32_t tasks = 0;
    std::uint32_t step = 0;
  };
  std::vector<Usable> usable_;
  std::vector<std::uint32_t> usable_at_;  // By node: where it is in usable_, plus one.
  std::vector<NodeFree> scratch_;
  std::vector<Instant> times_;
};

}  // namespace sluice
