// Which nodes, CPUs, memory and GPUs a job holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"

namespace sluice {

struct NodeShare {
  NodeId node;
  std::int32_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::uint64_t gpus = 0;  // One bit for each of the node's GPUs.
  // Which layer of an oversubscribed node the CPUs are in; layers take turns in time slices.
  std::uint8_t layer = 0;
  // Where its CPUs begin on an oversubscribed node: jobs of two layers collide where they overlap.
  std::int32_t first_cpu = 0;
  friend bool operator==(const NodeShare&, const NodeShare&) = default;
};

// In order of node. Most jobs run on one node, so the first share is stored in place.
class Allocation {
 public:
  Allocation() = default;
  explicit Allocation(const NodeShare& share) : first_(share), size_(1) {}
  void add(const NodeShare& share) {
    if (size_ == 0) {
      first_ = share;
    } else {
      if (size_ == 1) all_.assign(1, first_);
      all_.push_back(share);
    }
    ++size_;
  }
  void reserve(std::size_t shares) {
    if (shares > 1) all_.reserve(shares);
  }
  std::span<const NodeShare> shares() const {
    return size_ <= 1 ? std::span<const NodeShare>(&first_, size_)
                      : std::span<const NodeShare>(all_);
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  friend bool operator==(const Allocation& a, const Allocation& b) {
    auto x = a.shares();
    auto y = b.shares();
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
  }

 private:
  NodeShare first_;
  std::vector<NodeShare> all_;  // All shares, where there are several.
  std::size_t size_ = 0;
};

}  // namespace sluice
