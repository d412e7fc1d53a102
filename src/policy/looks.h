// When a search for the earliest start looks at what has become free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/time.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// slurmctld does not look at every end of a run on its way into the future: those within half a
// minute of the first are taken together, and each group may last twice as long as the one before
// it. Runs on nodes that the job cannot use do not count. Only backfill groups ends.
class Looks {
 public:
  // `can_use(node)`: whether the job could be there were the node to itself.
  Looks(const State& state, Instant now, const std::function<bool(NodeId)>& can_use);

  bool are_grouped() const { return grouped_; }
  // When the end of a run is looked at: at once where it is over already.
  Instant of(Instant end) const;
  Instant after(Instant time) const;
  // Ends up to here have been looked at by that time.
  Instant done_by(Instant time) const {
    return !grouped_ || times_.empty() || time >= times_.back() ? time : last(time);
  }
  // Calls place(look) for now and every look up to this time until it finds something. slurmctld
  // takes the nodes that are open by then as they are now, and only where these do not suffice as
  // they are after one more look, although all those looks lie behind it when the job starts.
  // `could(look)`: whether there may be enough by that look; if so, then also by those after it.
  template <class Could, class Place>
  auto at_first(Instant time, Could could, Place place) const {
    const Instant end = last(time);
    auto found = place(end);
    if (!found || !grouped_ || now_ >= end) return found;
    auto look = std::upper_bound(times_.begin(), times_.end(), now_);
    const auto behind = std::lower_bound(look, times_.end(), end);
    if (could(now_)) {
      if (auto earlier = place(now_)) return earlier;
    } else {
      look = std::partition_point(look, behind, [&](Instant at) { return !could(at); });
    }
    for (; look != behind; ++look)
      if (auto earlier = place(*look)) return earlier;
    return found;
  }
  // Of those looks the first by which there is enough, else the last. `enough(look)`: if so, then
  // also by those after it.
  template <class Enough>
  Instant first_with(Instant time, Enough enough) const {
    const Instant end = last(time);
    if (!grouped_ || now_ >= end) return end;
    if (enough(now_)) return now_;
    const auto next = std::upper_bound(times_.begin(), times_.end(), now_);
    const auto behind = std::lower_bound(next, times_.end(), end);
    const auto look = std::partition_point(next, behind, [&](Instant at) { return !enough(at); });
    return look == behind ? end : *look;
  }
  // The last up to this time, or now.
  Instant last(Instant time) const;

 private:
  Instant now_;
  bool grouped_ = false;
  std::vector<Instant> times_;  // The last end of each group.
};

// As one request looks, worked out for it alone.
Looks looks_of(const State& state, const Topology& topology, const Shape& shape,
               PartitionId partition, Instant now);

// The looks of all requests of a pass. Those that can use the same classes of nodes look at the
// same times, which are worked out once, until a run comes to hold nodes or lets go of them.
class LooksOfPass {
 public:
  void begin(Instant now) {
    now_ = now;
    known_.clear();
  }
  // Good until somebody else asks.
  const Looks& of(const State& state, const Topology& topology, const Shape& shape,
                  PartitionId partition);

 private:
  struct Known {
    std::vector<std::uint8_t> classes;  // Whether the request can use it.
    Looks looks;
  };
  Instant now_;
  std::uint64_t ends_ = 0;  // Changes of ends by then.
  std::vector<std::uint8_t> classes_;
  std::vector<Known> known_;
  std::optional<Looks> alone_;  // Of a request that is like no other.
};

}  // namespace sluice
