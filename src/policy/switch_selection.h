// Nodes on as few leaf switches as it can: the rule of select/cons_tres with topology/tree.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/node_selection.h"

namespace sluice {

// All nodes are below one switch. Of them the lightest that suffice come in question; where that
// takes nodes of several weights, the job has all but the heaviest of these. The rest of what it
// needs comes from switches that it is on already, then leaf by leaf: the nearest, of those as near
// the one that holds what is left with the fewest nodes.
class SwitchSelection {
 public:
  explicit SwitchSelection(NodeSelection& nodes)
      : nodes_(nodes), tree_(*nodes.wanted_.switches), offers_(nodes.offers_) {}

  // Whether one switch reaches all nodes that the job names.
  bool joins_required() const;
  // Beside the named nodes, which are taken. What the job still lacks then is the selection's to
  // see.
  void take();
  // On how many the nodes are that were taken.
  std::int32_t leaves() const;

 private:
  using Use = NodeSelection::Use;
  // Values by switch: what the nodes on it, and on those below, are in all.
  template <class Count>
  std::vector<std::int32_t> by_switch(Count count) const;
  std::uint32_t top_of_required() const;
  std::uint32_t top() const;
  std::vector<std::int64_t> lightest_by_switch() const;
  // Marks the nodes in question, and takes all but the heaviest kind; whether they suffice.
  bool make_pool(std::uint32_t top);
  bool suffices() const;
  void take_on(std::uint32_t leaf);
  std::uint32_t best_leaf(const std::vector<std::int32_t>& count) const;
  // Above 0: `a` is better for the nodes that are left; below: `b`.
  int compare(std::uint32_t a, std::uint32_t b, const std::vector<std::int32_t>& count) const;

  NodeSelection& nodes_;
  const SwitchTree& tree_;
  std::vector<Offer>& offers_;
  std::vector<bool> pool_;            // By offer.
  std::vector<bool> used_;            // By switch: it reaches nodes that the job has.
  std::vector<std::uint64_t> links_;  // By switch: to all that are used.
};

}  // namespace sluice
