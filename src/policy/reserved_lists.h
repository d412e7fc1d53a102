// When nodes are kept for jobs that wait. Nodes that were reserved together share one list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace sluice {

struct Reserved {
  Instant from;
  Instant until;
};

class ReservedLists {
 public:
  // Nothing is reserved.
  void clear(std::size_t nodes) {
    list_of_.assign(nodes, 0);
    lists_.assign(1, List{});
    reserved_.clear();
  }
  // In order of time. Good until something is reserved.
  std::span<const Reserved> on(NodeId node) const { return at(list_of_[node.index()]); }
  // Nodes with the same number have the same list, until all are cleared.
  std::uint32_t list_of(NodeId node) const { return list_of_[node.index()]; }
  std::size_t count() const { return lists_.size(); }
  void add(std::span<const NodeId> nodes, const Reserved& made) {
    std::uint32_t before = 0;
    std::uint32_t after = 0;  // None: a list with something in it is never the first.
    for (NodeId node : nodes) {
      std::uint32_t& list = list_of_[node.index()];
      if (after == 0 || list != before) {
        before = list;
        after = with(before, made);
      }
      list = after;
    }
  }

 private:
  struct List {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };
  std::span<const Reserved> at(std::uint32_t list) const {
    return std::span(reserved_).subspan(lists_[list].begin, lists_[list].count);
  }
  std::uint32_t with(std::uint32_t list, const Reserved& made) {
    const List old = lists_[list];
    const auto begin = static_cast<std::uint32_t>(reserved_.size());
    reserved_.resize(reserved_.size() + old.count + 1);
    const auto first = reserved_.begin() + old.begin;
    const auto last = first + old.count;
    const auto later = std::lower_bound(first, last, made.from,
                                        [](const Reserved& r, Instant t) { return r.from < t; });
    auto out = std::copy(first, later, reserved_.begin() + begin);
    *out++ = made;
    std::copy(later, last, out);
    lists_.push_back({begin, old.count + 1});
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }

  std::vector<std::uint32_t> list_of_;  // By node.
  std::vector<List> lists_;             // The first is empty.
  std::vector<Reserved> reserved_;
};

}  // namespace sluice
