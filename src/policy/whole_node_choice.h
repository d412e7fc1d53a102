// Which whole nodes a job gets where nodes of one class are all the same to it: the rule of
// node_selection.h, by runs of neighbours instead of node by node.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"
#include "policy/node_selection.h"
#include "policy/topology.h"

namespace sluice {

// Nodes that follow each other by name: places among all nodes, as Topology::rank has them.
struct RankRun {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

// A set of nodes by rank, one bit each.
class RankBits {
 public:
  // Empties it.
  void resize(std::size_t nodes) { words_.assign((nodes + 63) / 64, 0); }
  void set(RankRun run) {
    change(run, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
  }
  void reset(RankRun run) {
    change(run, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
  }
  std::vector<std::uint64_t>& words() { return words_; }
  // Calls visit(RankRun) for every run of neighbours, in order.
  template <class Visit>
  void for_each_run(Visit visit) const;

 private:
  template <class Change>
  void change(RankRun run, Change change);

  std::vector<std::uint64_t> words_;
};

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

template <class Change>
void RankBits::change(RankRun run, Change change) {
  while (run.count > 0) {
    const std::uint32_t first = run.begin % 64;
    const std::uint32_t here = run.count < 64 - first ? run.count : 64 - first;
    const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    change(words_[run.begin / 64], ones << first);
    run.begin += here;
    run.count -= here;
  }
}

template <class Visit>
void RankBits::for_each_run(Visit visit) const {
  RankRun run;
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    std::uint64_t left = words_[i];
    std::uint32_t at = i * 64;
    while (left != 0) {
      const auto gap = static_cast<std::uint32_t>(std::countr_zero(left));
      left >>= gap;
      at += gap;
      const auto ones = static_cast<std::uint32_t>(std::countr_one(left));
      if (run.count > 0 && run.begin + run.count == at) {
        run.count += ones;
      } else {
        if (run.count > 0) visit(run);
        run = {at, ones};
      }
      if (ones == 64) break;
      left >>= ones;
      at += ones;
    }
  }
  if (run.count > 0) visit(run);
}

}  // namespace sluice
