// The times from which nodes have room: what a search for the earliest start walks along.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace sluice {

// From then on the node has what its step says, and is open until a reservation begins.
struct Opening {
  Instant from;
  Instant until;
  NodeId node;
  std::uint32_t step = 0;
  // How many tasks of that kind of request have room, as far as somebody asked; of kind 0 nothing
  // is known.
  std::uint32_t kind = 0;
  std::int32_t tasks = 0;
};

// Kept in order of time, then of node; no node has two at one time.
class Openings {
 public:
  std::vector<Opening>& all() { return all_; }
  void clear() { all_.clear(); }
  // For many at once: in any order, then sort().
  void append(const Opening& opening) { all_.push_back(opening); }
  void sort();
  void sort_nearly_sorted();  // The same, quicker where few are out of place and none by far.

  void insert(const Opening& opening);
  void erase(Instant from, NodeId node);
  // The node opens later instead.
  void move(Instant from, const Opening& to);
  void shorten(Instant from, NodeId node, Instant until);

 private:
  std::vector<Opening>::iterator find(Instant from, NodeId node);

  std::vector<Opening> all_;
};

}  // namespace sluice
