// Which nodes changed, for readers that keep what they read of them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.h"

namespace sluice {

// Counted in changes so far. The last of them are remembered by node; a reader that comes later
// than that reads all nodes again.
class NodeChanges {
 public:
  std::uint64_t count() const { return first_ + log_.size(); }
  // How often a node went up or down, or all nodes were made anew.
  std::uint64_t states() const { return states_; }

  // How often a run came to hold nodes until some time, or stopped doing so.
  std::uint64_t ends() const { return ends_; }
  void note_end() { ++ends_; }

  void note(NodeId node) {
    if (log_.size() >= kMost) forget();
    log_.push_back(node);
  }
  void note_state(NodeId node) {
    ++states_;
    note(node);
  }
  void note_all() {
    ++states_;
    ++ends_;
    forget();
    ++first_;
  }

  // Calls visit(node) for each change since then; false where they are not remembered any more.
  template <class Visit>
  bool since(std::uint64_t then, Visit visit) const {
    if (then < first_) return false;
    for (std::size_t i = static_cast<std::size_t>(then - first_); i < log_.size(); ++i)
      visit(log_[i]);
    return true;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  void forget() {
    first_ += log_.size();
    log_.clear();
  }

  std::uint64_t first_ = 0;
  std::uint64_t states_ = 0;
  std::uint64_t ends_ = 0;
  std::vector<NodeId> log_;
};

}  // namespace sluice
