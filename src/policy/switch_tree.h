// The network of topology/tree: which nodes each switch reaches, and how far switches are apart.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/policy.h"

namespace sluice {

class SwitchTree {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  SwitchTree() = default;
  explicit SwitchTree(const Policy& policy);

  // Switches are numbered as in the policy.
  std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
  bool is_leaf(std::uint32_t number) const { return levels_[number] == 0; }
  std::int32_t level(std::uint32_t number) const { return levels_[number]; }
  std::uint32_t parent(std::uint32_t number) const { return parents_[number]; }
  // The switch that the node is on, or kNone.
  std::uint32_t leaf_of(NodeId node) const { return leaf_of_[node.index()]; }
  bool reaches(std::uint32_t number, NodeId node) const;
  // Links between two switches; kNone where none lead from one to the other.
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const;
  // Adds what each leaf has to every switch above it.
  template <class Number>
  void add_to_those_above(std::vector<Number>& values) const {
    for (const std::uint32_t number : upwards_)
      if (parents_[number] != kNone) values[parents_[number]] += values[number];
  }

 private:
  std::vector<std::uint32_t> parents_;
  std::vector<std::int32_t> levels_;
  std::vector<std::int32_t> depths_;    // Links to the top.
  std::vector<std::uint32_t> upwards_;  // Those below a switch before it.
  std::vector<std::uint32_t> leaf_of_;  // By node.
};

}  // namespace sluice
