// How far down the queue a pass has to go: nobody further back could start in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/placement.h"
#include "policy/queue.h"
#include "state/state.h"

namespace sluice {

// Plans that nobody is told of matter only to those behind them who could start. Room only shrinks
// during a pass and reservations only grow, so whoever has no chance now gets none later. Where
// victims are suspended at once that does not hold: then the end is found once and stays.
class LastChance {
 public:
  // `free` is what the pass gives away; it changes as others start.
  LastChance(const State& state, const Queue& queue, const std::vector<NodeFree>& free,
             Instant now);

  std::size_t end() const { return end_; }
  // The nodes are kept for somebody from then on.
  void reserve(const std::vector<NodeId>& nodes, Instant from) {
    for (NodeId node : nodes) until_[node.index()] = std::min(until_[node.index()], from);
  }
  // Leaves out those at the end who have no chance any more; `may_start(entry)` says whether
  // anything but room stops it.
  template <class MayStart>
  void shrink(std::size_t next, MayStart may_start) {
    for (; end_ > next; --end_) {
      const QueueEntry& entry = queue_.entries()[end_ - 1];
      if (entry.gone) continue;
      if (entry.pushes_out && has_victims(entry)) return;
      if (!has_room(entry)) continue;
      if (asked_ == end_ || may_start(entry)) {
        asked_ = end_;
        return;
      }
    }
  }

 private:
  bool has_room(const QueueEntry& entry) const;
  bool has_victims(const QueueEntry& entry);

  const State& state_;
  const Queue& queue_;
  const std::vector<NodeFree>& free_;
  Instant now_;
  std::size_t end_;
  std::size_t asked_ = 0;                  // Nothing but room can stop the one before this.
  std::vector<Instant> until_;             // By node: free of reservations until then.
  std::vector<std::uint32_t> with_room_;   // Nodes with any CPU free.
  std::vector<std::uint8_t> qos_running_;  // By QoS: somebody of it runs; filled when asked for.
};

}  // namespace sluice
