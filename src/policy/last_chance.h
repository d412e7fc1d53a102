// How far down the queue a pass has to go: nobody further back could start in it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/free_nodes.h"
#include "policy/queue.h"
#include "state/state.h"

namespace sluice {

// Plans that nobody is told of matter only to those behind them who could start. Room only shrinks
// during a pass and reservations only grow, so whoever has no chance now gets none later. Where
// victims are suspended at once that does not hold: then the end is found once and stays.
class LastChance {
 public:
  // For a pass that begins. `free` is what it gives away; it changes as others start.
  void begin(const State& state, const Queue& queue, const FreeNodes& free, Instant now);

  std::size_t end() const { return end_; }
  // As far as it can be told without looking for a place.
  bool has_room(const QueueEntry& entry);
  // The nodes are kept for somebody from then on.
  void reserve(std::span<const NodeId> nodes, Instant from) {
    for (NodeId node : nodes) {
      Until& known = until_[node.index()];
      known = Until{pass_, std::min(until(node), from)};
    }
  }
  // Leaves out those at the end who have no chance any more; `may_start(entry)` says whether
  // anything but room stops it.
  template <class MayStart>
  void shrink(std::size_t next, MayStart may_start) {
    const std::vector<QueueEntry>& entries = queue_->entries();
    const std::int64_t room = free_->room();
    for (; end_ > next; --end_) {
      const QueueEntry& entry = entries[end_ - 1];
      if (entry.cpus > room && !entry.pushes_out) continue;
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
  Instant until(NodeId node) const {
    const Until& known = until_[node.index()];
    return known.pass == pass_ ? known.at : Instant::max();
  }
  bool has_victims(const QueueEntry& entry);
  bool finds_room(const QueueEntry& entry) const;

  const State* state_ = nullptr;
  const Queue* queue_ = nullptr;
  const FreeNodes* free_ = nullptr;
  Instant now_;
  std::size_t end_ = 0;
  std::size_t asked_ = 0;  // Nothing but room can stop the one before this.
  // By node: free of reservations until then, where that was said in this pass.
  struct Until {
    std::uint64_t pass = 0;
    Instant at;
  };
  // What found no room in this pass: nor does what asks for as much, for as long.
  struct Lacking {
    std::int32_t cpus = 0;
    std::int32_t nodes = 0;
    Duration limit{0};
  };
  static constexpr std::size_t kMostLacking = 8;  // Few requests cover most; more take longer.
  std::array<Lacking, kMostLacking> lacking_;
  std::size_t lacked_ = 0;  // So many were noted, the last of them instead of the first.
  std::uint64_t pass_ = 0;
  std::vector<Until> until_;
  std::vector<std::uint8_t> qos_running_;  // By QoS: somebody of it runs; filled when asked for.
};

}  // namespace sluice
