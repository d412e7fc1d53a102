// Levels and distances, worked out once per policy.
#include "policy/switch_tree.h"

#include <algorithm>
#include <numeric>

namespace sluice {

SwitchTree::SwitchTree(const Policy& policy)
    : parents_(policy.switches.size(), kNone),
      levels_(policy.switches.size(), 0),
      depths_(policy.switches.size(), 0),
      upwards_(policy.switches.size()),
      leaf_of_(policy.nodes.size(), kNone) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    for (const std::uint32_t below : policy.switches[i].switches) parents_[below] = i;
    for (const NodeId node : policy.switches[i].nodes) leaf_of_[node.index()] = i;
  }
  for (std::uint32_t i = 0; i < size(); ++i) {
    std::int32_t links = 0;
    for (std::uint32_t above = parents_[i]; above != kNone; above = parents_[above]) {
      ++links;
      levels_[above] = std::max(levels_[above], links);
    }
    depths_[i] = links;
  }
  std::iota(upwards_.begin(), upwards_.end(), 0U);
  std::stable_sort(upwards_.begin(), upwards_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return depths_[a] > depths_[b]; });
}

bool SwitchTree::reaches(std::uint32_t number, NodeId node) const {
  std::uint32_t at = leaf_of(node);
  while (at != kNone && at != number) at = parents_[at];
  return at == number;
}

std::uint32_t SwitchTree::distance(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t links = 0;
  for (; a != b; ++links) {
    std::uint32_t& lower = depths_[a] >= depths_[b] ? a : b;
    lower = parents_[lower];
    if (lower == kNone) return kNone;
  }
  return links;
}

}  // namespace sluice
