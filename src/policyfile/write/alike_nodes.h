// Neighbours among a policy's nodes that differ in nothing but their names.
#pragma once

#include <string>
#include <vector>

#include "model/policy.h"

namespace sluice {

// Calls visit(node, names) for each run of them: the first, and what all of them are called.
template <class Visit>
void each_run_of_alike_nodes(const Policy& policy, Visit visit) {
  std::size_t first = 0;
  while (first < policy.nodes.size()) {
    const Node& like = policy.nodes[first];
    std::vector<std::string> names;
    for (; first < policy.nodes.size(); ++first) {
      Node node = policy.nodes[first];
      node.name = like.name;
      if (node != like) break;
      names.push_back(policy.nodes[first].name);
    }
    visit(like, names);
  }
}

}  // namespace sluice
