// What reservations and other users leave to one job: which nodes, and until when.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/time.h"
#include "policy/node_bits.h"
#include "state/state.h"

namespace sluice {

// A job without a reservation keeps off the nodes of all of them while they are in force. A job
// with one has its nodes and no others, and keeps off where another lies over it.
class JobWindows {
 public:
  struct Bar {
    Instant from;
    Instant until;
    const KeptReservation* by = nullptr;
  };

  void read(const State& state, const Shape& shape, Instant now);
  // As if there were none.
  void clear() {
    own_ = nullptr;
    bound_ = false;
    missing_ = false;
    bars_.clear();
    keeps_off_ = false;
  }
  // It keeps off these nodes altogether, since other users' jobs are on them.
  void keep_off(NodeBits nodes) {
    foreign_ = std::move(nodes);
    keeps_off_ = true;
  }

  bool any() const { return any_reservation() || keeps_off_; }
  bool any_reservation() const { return bound_ || !bars_.empty(); }
  // Whether other users' jobs keep it off some nodes.
  bool keeps_off_any() const { return keeps_off_; }
  const KeptReservation* own() const { return own_; }
  // It names one that is not there.
  bool missing() const { return missing_; }
  // Its own is there and has not begun.
  bool begins_later(Instant now) const { return bound_ && own_->told.start > now; }
  bool may_use(NodeId node) const {
    return is_reserved_for(node) && (!keeps_off_ || !foreign_.test(node));
  }
  // When the node is next kept from it, counted from a time; that time itself where it is just
  // then.
  Instant open_until(NodeId node, Instant from) const {
    Instant until = Instant::max();
    for (const Bar& bar : bars_)
      if (bar.until > from && bar.by->has(node)) until = std::min(until, std::max(bar.from, from));
    return until;
  }
  bool is_open(NodeId node, Instant from, Instant until) const {
    return may_use(node) && open_until(node, from) >= until;
  }
  // The same where no other users' jobs are.
  bool is_unreserved(NodeId node, Instant from, Instant until) const {
    return is_reserved_for(node) && open_until(node, from) >= until;
  }
  // In order of their ends.
  const std::vector<Bar>& bars() const { return bars_; }

 private:
  bool is_reserved_for(NodeId node) const { return !bound_ || own_->has(node); }

  const KeptReservation* own_ = nullptr;
  bool bound_ = false;  // To the nodes and the time of its own.
  bool missing_ = false;
  std::vector<Bar> bars_;
  bool keeps_off_ = false;
  NodeBits foreign_;
};

}  // namespace sluice
