// What the nodes will have later, if everybody runs to the limit.
#pragma once

#include <optional>
#include <span>
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
  // Starts anew from what is free now and the ends of what holds nodes. Both are read when somebody
  // asks, so who started until then is in them.
  void read(const State& state, const std::vector<NodeFree>& free, Instant now);

  // The same after jobs were told to leave: reservations stay.
  void read_again();
  Instant now() const { return now_; }

  // The job takes these nodes now; later steps have less, until it ends.
  void start(const Allocation& allocation, Instant end);

  // The nodes are for nobody else meanwhile.
  void reserve(std::span<const NodeId> nodes, Instant from, Instant until);

  // When and where the job could start at the earliest, no later than `latest`; nullptr if nowhere.
  // Good until somebody else asks. `kind`: of the request, as in a queue entry.
  const Earliest* earliest(const Topology& topology, const Shape& shape, std::uint32_t kind,
                           PartitionId partition, Duration limit, Instant latest = Instant::max());

  // Whether anybody else starting, where nothing is planned for this job, leaves what earliest()
  // says of it as it is.
  bool is_steady(const Topology& topology, const Shape& shape, PartitionId partition) const;
  // Where earliest() found nothing: the first time behind `latest` that it did not look at.
  Instant first_behind() const { return first_behind_; }

  // The same by looking at every node at every time, which any job can be placed by.
  const Earliest* earliest_anywhere(const Topology& topology, const Shape& shape,
                                    PartitionId partition, Duration limit,
                                    Instant latest = Instant::max());

  // What the nodes have at that time.
  void free_at(Instant time, std::vector<NodeFree>& out);

  // Whether the node is free of reservations during the time.
  bool is_open(NodeId node, Instant from, Instant until) const;

 private:
  struct NodeLine {
    std::vector<NodeStep> steps;     // The first is now.
    std::vector<Reserved> reserved;  // In order of time.
  };
  void read_steps();
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
  const Earliest* earliest_along_openings(const Topology& topology, const Shape& shape,
                                          std::uint32_t kind, PartitionId partition, Duration limit,
                                          Instant latest);
  std::int64_t drop_closed(Instant now, Instant& first_last);
  const Earliest* first_usable(const Topology& topology, const Shape& shape, PartitionId partition,
                               Instant time);
  const Earliest* place_on_usable(const Topology& topology, const Shape& shape,
                                  PartitionId partition, Instant time);
  const Earliest* found_on(Instant time, const Allocation& allocation);

  Instant now_{};
  const State* state_ = nullptr;
  const std::vector<NodeFree>* free_ = nullptr;
  bool steps_read_ = false;
  Instant first_behind_{};
  Earliest found_;  // Its memory is used again and again.
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
