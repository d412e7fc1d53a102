// The cluster as sinfo, scontrol and sacctmgr show it: the policy and what the nodes hold now.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "shims/shim.h"
#include "text/preempt_mode.h"
#include "views/rows.h"

namespace sluice {

struct Site {
  Policy policy;
  std::vector<NodeLine> nodes;  // One for each of the policy's, in their order.
};
Result<Site> fetch_site(EngineDoor& engine);

// "gpu:a100:2", or "" without any.
std::string gres_of(const Node& node);
// "gpu:a100:1(IDX:0)"; the first are said to be in use, however many there are.
std::string gres_used(const Node& node, const NodeLine& line);
std::string partition_nodes(const Policy& policy, const Partition& partition);

PreemptMode preempt_mode_of(const Policy& policy, const Partition& partition);

// The tree of accounts from the top, users before accounts below an account, each by name: places
// in the policy's table, and how deep each stands.
struct TreePlace {
  std::size_t place = 0;
  int depth = 0;
};
std::vector<TreePlace> tree_places(const Policy& policy, std::size_t top = 0);
std::vector<std::size_t> tree_order(const Policy& policy);

// This machine, which stands for every node: its name, load and memory.
std::string host_name();
double host_load();
std::int64_t host_free_mb();

}  // namespace sluice
