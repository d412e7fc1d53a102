// Which whole nodes a job gets where nodes of one class are all the same to it: the rule of
// node_selection.h, by runs of neighbours instead of node by node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"
#include "policy/node_selection.h"
#include "policy/rank_bits.h"
#include "policy/topology.h"

namespace sluice {

class WholeNodeChoice {
 public:
  // The nodes in order of their names, or nothing. `tasks`: how many a node of each class has
  // room for.
  const std::vector<NodeId>* find(const Topology& topology, const RankBits& usable,
                                  std::span<const std::int32_t> tasks, const Wanted& wanted);

 private:
  struct Alike {
    RankRun nodes;
    std::int64_t cpus = 0;  // That one of them gives.
  };
  struct Set {
    std::size_t begin = 0;  // Among the runs of alike nodes.
    std::size_t end = 0;
    std::int64_t nodes = 0;
    std::int64_t cpus = 0;
    std::int64_t weight = 0;
  };
  void make_sets(const Topology& topology, const RankBits& usable,
                 std::span<const std::int32_t> tasks, const Wanted& wanted);
  Set* best_set();
  void take_from(Set& set);
  bool has_all() const { return nodes_left_ <= 0 && cpus_left_ <= 0; }
  void take(const Alike& alike, RankRun nodes);

  std::vector<Alike> alike_;
  std::vector<Set> sets_;
  std::vector<RankRun> taken_;
  std::vector<NodeId> chosen_;
  std::int64_t cpus_left_ = 0;
  std::int32_t nodes_left_ = 0;
  std::int32_t least_left_ = 0;
  std::int32_t most_left_ = 0;
};

}  // namespace sluice
