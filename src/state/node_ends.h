// Until when each node is held, by every job that holds a part of it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/time.h"
#include "model/ids.h"

namespace sluice {

class NodeEnds {
 public:
  void clear(std::size_t nodes) {
    ends_.clear();
    ends_.resize(nodes);
  }
  void add(NodeId node, Instant at) {
    std::vector<Instant>& ends = ends_[node.index()];
    ends.insert(std::upper_bound(ends.begin(), ends.end(), at), at);
  }
  void remove(NodeId node, Instant at) {
    std::vector<Instant>& ends = ends_[node.index()];
    const auto it = std::lower_bound(ends.begin(), ends.end(), at);
    CHECK(it != ends.end() && *it == at, "a node was held until another time");
    ends.erase(it);
  }
  // In order of time.
  std::span<const Instant> of(NodeId node) const { return ends_[node.index()]; }

 private:
  std::vector<std::vector<Instant>> ends_;
};

}  // namespace sluice
