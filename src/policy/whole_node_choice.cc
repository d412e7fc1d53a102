#include "policy/whole_node_choice.h"

#include <algorithm>

namespace sluice {

const std::vector<NodeId>* WholeNodeChoice::find(const Topology& topology, const RankBits& usable,
                                                 std::span<const std::int32_t> tasks,
                                                 const Wanted& wanted) {
  if (wanted.most_nodes < wanted.least_nodes) return nullptr;
  taken_.clear();
  cpus_left_ = std::max<std::int64_t>(wanted.tasks * wanted.cpus_per_task, wanted.least_nodes);
  nodes_left_ = std::max(wanted.nodes, wanted.least_nodes);
  least_left_ = wanted.least_nodes;
  most_left_ = wanted.most_nodes;
  make_sets(topology, usable, tasks, wanted);
  while (most_left_ > 0 && !has_all()) {
    Set* best = best_set();
    if (best == nullptr) break;
    take_from(*best);
  }
  if (cpus_left_ > 0 || least_left_ > 0) return nullptr;
  chosen_.clear();
  std::sort(taken_.begin(), taken_.end(),
            [](const RankRun& a, const RankRun& b) { return a.begin < b.begin; });
  for (const RankRun& run : taken_)
    for (std::uint32_t i = 0; i < run.count; ++i)
      chosen_.push_back(topology.at_rank(run.begin + i));
  return &chosen_;
}

void WholeNodeChoice::make_sets(const Topology& topology, const RankBits& usable,
                                std::span<const std::int32_t> tasks, const Wanted& wanted) {
  alike_.clear();
  sets_.clear();
  usable.for_each_run([&](RankRun run) {
    bool follows = false;
    while (run.count > 0) {
      const NodeId first = topology.at_rank(run.begin);
      const std::uint32_t same = std::min(run.count, topology.alike_until(run.begin) - run.begin);
      const std::int64_t cpus =
          std::int64_t{tasks[topology.class_of(first)]} * wanted.cpus_per_task;
      const std::int64_t weight = topology.policy().nodes[first.index()].weight;
      if (!follows || sets_.back().weight != weight)
        sets_.push_back(Set{.begin = alike_.size(), .weight = weight});
      follows = true;
      alike_.push_back({{run.begin, same}, cpus});
      Set& set = sets_.back();
      set.end = alike_.size();
      set.nodes += same;
      set.cpus += cpus * same;
      run.begin += same;
      run.count -= same;
    }
  });
}

WholeNodeChoice::Set* WholeNodeChoice::best_set() {
  Set* best = nullptr;
  bool best_suffices = false;
  for (Set& set : sets_) {
    if (set.nodes == 0) continue;
    const bool suffices = set.cpus >= cpus_left_ && set.nodes >= least_left_;
    const bool tighter = suffices ? !best_suffices || (best != nullptr && set.cpus < best->cpus)
                                  : best != nullptr && set.cpus > best->cpus;
    if (best != nullptr && set.weight >= best->weight && !(set.weight == best->weight && tighter))
      continue;
    best = &set;
    best_suffices = suffices;
  }
  return best;
}

void WholeNodeChoice::take_from(Set& set) {
  const std::span<const Alike> all = std::span(alike_).subspan(set.begin, set.end - set.begin);
  set.nodes = 0;
  if (nodes_left_ <= 1) {
    const Alike* tightest = nullptr;
    for (const Alike& alike : all)
      if (alike.cpus >= cpus_left_ && (tightest == nullptr || alike.cpus < tightest->cpus))
        tightest = &alike;
    if (tightest != nullptr) return take(*tightest, {tightest->nodes.begin, 1});
  }
  for (const Alike& alike : all) {
    RankRun left = alike.nodes;
    while (left.count > 0 && most_left_ > 0 && !has_all()) {
      // The last node it may have must hold the rest.
      if (most_left_ == 1 && alike.cpus < cpus_left_) break;
      const std::int64_t for_cpus =
          (std::max<std::int64_t>(cpus_left_, 0) + alike.cpus - 1) / alike.cpus;
      const std::int64_t enough = std::max<std::int64_t>({1, nodes_left_, for_cpus});
      const std::int64_t but_the_last = std::max(1, most_left_ - 1);
      const auto count =
          static_cast<std::uint32_t>(std::min<std::int64_t>({left.count, enough, but_the_last}));
      take(alike, {left.begin, count});
      left.begin += count;
      left.count -= count;
    }
  }
}

void WholeNodeChoice::take(const Alike& alike, RankRun nodes) {
  taken_.push_back(nodes);
  const auto count = static_cast<std::int32_t>(nodes.count);
  cpus_left_ -= alike.cpus * count;
  nodes_left_ -= count;
  least_left_ -= count;
  most_left_ -= count;
}

}  // namespace sluice
