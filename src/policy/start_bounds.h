// Before when a request has no chance, by what smaller requests of its kind found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace sluice {

// While room only shrinks, a request for as much or more, for as long or longer, has too few nodes
// whenever a smaller one of the same kind in the same partition had too few.
class StartBounds {
 public:
  struct Request {
    PartitionId partition;
    std::uint32_t kind = 0;  // As in a queue entry; 0: compares with none.
    std::int32_t nodes = 1;
    std::int32_t tasks = 1;
    Duration limit{0};
  };
  struct Bound {
    Instant time = Instant::min();  // Too few before that.
    std::int64_t most_tasks = 0;    // And never room for more tasks than that, before it.
  };

  // The best that is known.
  Bound find(const Request& asked) const {
    Bound best;
    const auto known = known_.find({asked.partition, asked.kind});
    if (asked.kind == 0 || known == known_.end()) return best;
    for (const Known& each : known->second)
      if (each.bound.time > best.time && each.is_no_more_than(asked)) best = each.bound;
    return best;
  }
  void add(const Request& asked, const Bound& bound) {
    if (asked.kind == 0) return;
    std::vector<Known>& all = known_[{asked.partition, asked.kind}];
    const Known made{asked, bound};
    std::erase_if(all, [&](const Known& each) {
      return made.is_no_more_than(each.request) && bound.time >= each.bound.time;
    });
    all.push_back(made);
  }
  // There may be more room.
  void clear() { known_.clear(); }

 private:
  struct Known {
    Request request;
    Bound bound;
    bool is_no_more_than(const Request& asked) const {
      return request.nodes <= asked.nodes && request.tasks <= asked.tasks &&
             request.limit <= asked.limit;
    }
  };
  std::map<std::pair<PartitionId, std::uint32_t>, std::vector<Known>> known_;
};

}  // namespace sluice
