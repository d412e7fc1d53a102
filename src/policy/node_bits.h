// A set of nodes, one bit each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/ids.h"

namespace sluice {

class NodeBits {
 public:
  // Empties it.
  void resize(std::size_t nodes) { words_.assign((nodes + 63) / 64, 0); }
  void set(NodeId node) { words_[node.index() / 64] |= bit(node); }
  void reset(NodeId node) { words_[node.index() / 64] &= ~bit(node); }
  bool test(NodeId node) const { return (words_[node.index() / 64] & bit(node)) != 0; }
  const std::vector<std::uint64_t>& words() const { return words_; }

  // Calls visit(node) in order, for as long as it returns true.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
        if (!visit(NodeId(static_cast<std::uint32_t>(
                i * 64 + static_cast<std::size_t>(std::countr_zero(left))))))
          return;
  }

 private:
  static std::uint64_t bit(NodeId node) { return std::uint64_t{1} << (node.index() % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace sluice
