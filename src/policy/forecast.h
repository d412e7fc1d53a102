// What the nodes will have later, if everybody runs to the limit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "policy/class_tasks.h"
#include "policy/free_nodes.h"
#include "policy/job_windows.h"
#include "policy/looks.h"
#include "policy/node_bits.h"
#include "policy/passes.h"
#include "policy/placement.h"
#include "policy/start_bounds.h"
#include "policy/whole_node_choice.h"
#include "policy/whole_nodes.h"
#include "state/state.h"

namespace sluice {

// A node's resources from a time on. They only grow: what is planned for waiting jobs is kept
// apart, in reservations of whole nodes.
struct NodeStep {
  Instant from;
  NodeFree free;
};

struct Earliest {
  Instant start;
  std::vector<NodeId> nodes;
};

// Read as far as somebody asks: ends of running jobs in order of time, and of the nodes only those
// that somebody leaves. So a search costs what lies between now and what it finds.
class Forecast {
 public:
  explicit Forecast(Passes passes = Passes::kQuick) : plain_(passes == Passes::kPlain) {}

  // Starts anew from what is free now and the ends of what holds nodes. Both are read when somebody
  // asks, so who started until then is in them.
  void read(const State& state, const Topology& topology, const FreeNodes& free, Instant now);

  // The same after jobs were told to leave: reservations stay.
  void read_again();
  Instant now() const { return now_; }

  // The job takes these nodes now; later steps have less, until it ends. To be told before it is
  // taken from what is free, and before the state has it.
  void start(const Allocation& allocation, Instant end);

  // The nodes are for nobody else meanwhile.
  void reserve(std::span<const NodeId> nodes, Instant from, Instant until);

  // When the first of these is over, of those that hold any of a partition's nodes.
  std::optional<Instant> first_release(PartitionId partition) const;

  // When and where the job could start at the earliest, no later than `latest`; nullptr if nowhere.
  // Good until somebody else asks. `kind`: of the request, as in a queue entry.
  const Earliest* earliest(const Shape& shape, std::uint32_t kind, PartitionId partition,
                           Duration limit, Instant latest = Instant::max());

  // Where earliest() found nothing: no later than the first time behind `latest` at which it could.
  Instant first_behind() const { return first_behind_; }

  // There too, if it was looked for on more than one node: the most tasks of such a kind that had
  // room at any time that was looked at. No request for more of them can be found in its place.
  std::optional<std::int64_t> most_tasks() const { return most_tasks_; }

  // The same by looking at every node at every time: the plain way.
  const Earliest* earliest_anywhere(const Shape& shape, PartitionId partition, Duration limit,
                                    Instant latest = Instant::max());

  // What the nodes have at that time.
  void free_at(Instant time, std::vector<NodeFree>& out);

  // What reservations of the cluster leave to the job that is asked about from here on; nullptr:
  // everything. Those made with reserve() are plans for jobs, and bind all others.
  void look_through(const JobWindows* windows) { windows_ = windows; }

  // Whether the node is free of reservations during the time.
  bool is_open(NodeId node, Instant from, Instant until) const;

 private:
  // Valid where its number is that of the reading; else nothing is known of the node but what it
  // has now.
  struct NodeLine {
    std::uint64_t steps_of = 0;
    std::vector<NodeStep> steps;  // The first is now.
  };
  std::vector<NodeStep>& steps_of(NodeId node);
  const NodeFree& at(NodeId node, Instant time) const;
  // When the node is next reserved, counted from a time; that time itself where it is just then.
  Instant open_until(NodeId node, Instant from) const;
  Instant next_unread() const;  // Instant::max(): everything was read.
  void read_until(Instant time);
  void read_end(const ExpectedEnd& end, Instant from);
  std::optional<Instant> earliest_on(const Shape& shape, NodeId node, std::int32_t tasks,
                                     Duration limit) const;

  // forecast_search.cc
  struct Request;
  const Earliest* earliest_of_parts(const Request& request);
  bool may_use(const Request& request, NodeId node) const;
  std::int32_t tasks_on(const Request& request, NodeId node, const NodeFree& free) const;
  void note_tasks(std::int64_t tasks) {
    if (most_tasks_) most_tasks_ = std::max(*most_tasks_, tasks);
  }
  std::int64_t drop_closed(Instant now, Instant& first_last);
  const Earliest* place_on_usable(const Request& request, Instant time);
  std::optional<Allocation> place_at(Instant look, const Shape& shape, PartitionId partition,
                                     std::span<const NodeId> candidates) const;
  const Earliest* found_on(Instant time, const Allocation& allocation);
  template <class Visit>
  void each_opening_now(const Request& request, Visit visit);

  // forecast_whole_nodes.cc
  const Earliest* earliest_of_whole_nodes(const Request& request);
  void fill_whole_nodes();
  const Earliest* place_on_whole_nodes(const Request& request, Instant time);
  void find_usable(const Request& request, std::int32_t least, Instant time);
  const Earliest* place_by_count(const Request& request, Instant time, const Wanted& wanted,
                                 std::int32_t tasks_each);
  const Earliest* place_at_looks(const Request& request, Instant time, const Wanted* by_class);
  const Earliest* found_on(Instant time, const std::vector<NodeId>* nodes);

  bool plain_;
  const JobWindows* windows_ = nullptr;
  Instant now_{};
  const State* state_ = nullptr;
  const Topology* topology_ = nullptr;
  const FreeNodes* free_ = nullptr;
  std::uint64_t steps_number_ = 0;    // Of this reading of steps.
  Instant horizon_ = Instant::min();  // Ends up to here were read.
  bool anything_read_ = false;
  std::vector<NodeLine> lines_;
  // Where steps begin after the first, in order of time.
  struct StepAt {
    Instant from;
    NodeId node;
    std::uint32_t kind = 0;  // How many tasks of that kind of request have room; 0: nobody asked.
    std::int32_t tasks = 0;
  };
  std::vector<StepAt> steps_;
  // All that is reserved: what was made, and when each lets go of its nodes.
  struct Reservation {
    Instant from;
    Instant until;
    std::uint32_t nodes = 0;  // Where they begin, and how many.
    std::uint32_t count = 0;
    std::uint32_t runs = 0;  // The same as runs of neighbours.
    std::uint32_t run_count = 0;
  };
  std::vector<Reservation> reservations_;  // In order of `until`.
  std::vector<NodeId> reserved_nodes_;
  ReservedLists reserved_;
  std::vector<RankRun> reserved_runs_;
  LooksOfPass looks_;
  WholeNodes whole_;
  bool whole_filled_ = false;
  StartBounds bounds_;  // Of whole nodes.

  Instant first_behind_{};
  std::optional<std::int64_t> most_tasks_;
  Earliest found_;  // Its memory is used again and again.
  // Of a search: the nodes that could be used at the time it has come to.
  struct Usable {
    Instant last;  // A start after this would run into a reservation.
    NodeId node;
    std::int32_t tasks = 0;
  };
  // Until when nodes of a list of reservations are open, where they are at that time.
  struct OpenList {
    Instant from = Instant::min();
    Instant until;
  };
  std::vector<OpenList> open_lists_;
  std::vector<Usable> usable_;
  std::vector<std::uint32_t> usable_at_;  // By node: where it is in usable_, plus one.
  std::vector<std::int32_t> class_tasks_;
  struct Closing {
    Instant last;
    std::int32_t nodes = 0;
    std::int64_t tasks = 0;
    friend bool operator<(const Closing& a, const Closing& b) { return a.last > b.last; }
  };
  std::vector<Closing> closings_;  // A heap, the first to close on top.
  NodeBits bits_;
  NodesOfClasses class_nodes_;
  RankBits usable_ranks_;
  RankBits open_then_;
  WholeNodeChoice choice_;
  std::vector<NodeId> candidates_;
  std::vector<NodeFree> scratch_;
  std::vector<Instant> times_;
};

}  // namespace sluice
