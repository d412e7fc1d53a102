// What the last backfill pass planned, for the next one to say again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/placement.h"
#include "policy/queue_entry.h"
#include "state/state.h"

namespace sluice {

// A plan follows from who holds nodes until when, and from the plans of those before it in the
// queue. While no job came to hold nodes and none left, time alone changes no plan that lies ahead,
// so a job that is looked at after the same others as before gets what it got.
class KeptPlan {
 public:
  struct Step {
    JobId job;
    SpecId spec;
    PartitionId partition;
    bool found = true;  // Else there is no time for it in the window.
    Duration limit{0};
    std::optional<std::int32_t> hopeless_from;  // As in HopelessRequests::add().
    Instant start;            // Or, where none was found, the first chance behind the window.
    std::uint32_t nodes = 0;  // Where they begin, and how many.
    std::uint32_t count = 0;
  };

  // Until the next pass begins.
  void forget() {
    steps_.clear();
    nodes_.clear();
    next_ = 0;
    grows_ = false;
  }
  // For a pass that begins: whether there is anything to be said again.
  bool begin(const State& state, Instant now, Instant latest);
  // What the entry got, if all before it in this pass got what they had.
  const Step* next(const QueueEntry& entry, SpecId spec);
  std::span<const NodeId> nodes_of(const Step& step) const {
    return std::span(nodes_).subspan(step.nodes, step.count);
  }

  // The others are for a job that was not found in here: from then on all is new.
  void add(const QueueEntry& entry, SpecId spec, Instant start, std::span<const NodeId> nodes);
  void add_hopeless(const QueueEntry& entry, SpecId spec, Instant first_chance,
                    std::optional<std::int32_t> hopeless_from = std::nullopt);
  // Nothing that follows can be said again.
  void cut() {
    drop_the_rest();
    grows_ = false;
  }
  // The pass is over and left the nodes as they are.
  void end(const State& state);

 private:
  Step& append(const QueueEntry& entry, SpecId spec);
  void drop_the_rest();

  std::vector<Step> steps_;
  std::vector<NodeId> nodes_;
  std::size_t next_ = 0;
  bool grows_ = false;
  Instant latest_;
  std::uint64_t node_changes_ = 0;  // By the end of the pass, and of ends.
  std::uint64_t end_changes_ = 0;
};

}  // namespace sluice
