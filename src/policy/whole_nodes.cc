// Counts stretches as nodes are emptied, taken and reserved.
#include "policy/whole_nodes.h"

#include <algorithm>
#include <tuple>

namespace sluice {
namespace {

void count(std::vector<FreeStretch>& all, const FreeStretch& change) {
  if (change.from >= change.until || change.count == 0) return;
  const auto key = [](const FreeStretch& s) { return std::tie(s.from, s.until, s.node_class); };
  const auto at =
      std::lower_bound(all.begin(), all.end(), change,
                       [&](const FreeStretch& a, const FreeStretch& b) { return key(a) < key(b); });
  if (at == all.end() || key(*at) != key(change)) {
    all.insert(at, change);
    return;
  }
  at->count += change.count;
  if (at->count == 0) all.erase(at);
}

}  // namespace

Instant WholeNodes::look_at(const State& state, NodeId node) {
  const NodeUse& use = state.nodes()[node.index()];
  if (use.state != NodeState::kUp) return Instant::max();
  if (use.jobs == 0) return Instant::min();
  const std::span<const Instant> ends = state.node_ends().of(node);
  return std::ssize(ends) == use.jobs ? ends.back() : Instant::max();
}

void WholeNodes::read(const State& state, const Topology& topology) {
  std::erase_if(empty_by_, [](const EmptyBy& by) { return !by.asked; });
  for (EmptyBy& by : empty_by_) by.asked = false;
  changes_of_runs_.clear();
  reservations_.clear();
  const NodeChanges& changes = state.node_changes();
  const auto read_one = [&](NodeId node) { set_empty_from(node, look_at(state, node)); };
  const bool knows = topology_ == &topology && empty_from_.size() == state.nodes().size() &&
                     changes.since(read_at_, read_one);
  if (!knows) {
    topology_ = &topology;
    runs_.clear();
    empty_by_.clear();
    empty_from_.assign(state.nodes().size(), Instant::max());
    for (std::uint32_t i = 0; i < empty_from_.size(); ++i) read_one(NodeId(i));
  }
  read_at_ = changes.count();
}

void WholeNodes::set_empty_from(NodeId node, Instant from) {
  const std::uint32_t rank = topology_->rank(node);
  Instant& known = empty_from_[rank];
  if (known == from) return;
  for (EmptyBy& by : empty_by_) {
    if (from <= by.time)
      by.ranks.set({rank, 1});
    else
      by.ranks.reset({rank, 1});
  }
  const std::uint32_t node_class = topology_->class_of(node);
  count(runs_, {known, Instant::max(), node_class, -1});
  known = from;
  count(runs_, {known, Instant::max(), node_class, 1});
}

const RankBits& WholeNodes::empty_by(Instant time) {
  // Later than the last run nothing changes.
  if (!runs_.empty()) time = std::min(time, runs_.back().from);
  const auto known = std::find_if(empty_by_.begin(), empty_by_.end(),
                                  [&](const EmptyBy& by) { return by.time == time; });
  if (known != empty_by_.end()) {
    known->asked = true;
    return known->ranks;
  }
  EmptyBy& by = empty_by_.emplace_back();
  by.time = time;
  by.ranks.fill(empty_from_.size(), [&](std::size_t rank) { return empty_from_[rank] <= time; });
  return by.ranks;
}

// What the node's reservations change: it is free between them only.
void WholeNodes::correct(NodeId node, std::span<const Reserved> reserved, std::int32_t change) {
  if (reserved.empty()) return;
  const std::uint32_t node_class = topology_->class_of(node);
  Instant begin = empty_from(node);
  std::vector<FreeStretch>* stretches = &changes_of_runs_;
  count(*stretches, {begin, Instant::max(), node_class, -change});
  for (const Reserved& r : reserved) {
    count(*stretches, {begin, r.from, node_class, change});
    if (r.until <= begin) continue;
    begin = r.until;
    stretches = &reservations_;
  }
  count(*stretches, {begin, Instant::max(), node_class, change});
}

void WholeNodes::add_reserved(NodeId node, std::span<const Reserved> reserved) {
  correct(node, reserved, 1);
}

void WholeNodes::take(NodeId node, Instant until, std::span<const Reserved> reserved) {
  if (empty_from(node) >= until) return;
  correct(node, reserved, -1);
  set_empty_from(node, until);
  correct(node, reserved, 1);
}

// Neighbours that are alike, are left at the same time and have the same list are split alike.
void WholeNodes::reserve(std::span<const RankRun> nodes, const Reserved& made,
                         const ReservedLists& lists) {
  Split split;
  std::uint32_t list = 0;
  Instant empty;
  for (const RankRun& run : nodes)
    for (std::uint32_t rank = run.begin; rank < run.begin + run.count; ++rank) {
      const NodeId node = topology_->at_rank(rank);
      const bool same = split.count > 0 && lists.list_of(node) == list &&
                        empty_from_[rank] == empty && topology_->class_of(node) == split.node_class;
      if (!same) {
        apply(split, made);
        split = split_of(node, made, lists.on(node));
        list = lists.list_of(node);
        empty = empty_from_[rank];
      }
      ++split.count;
    }
  apply(split, made);
}

WholeNodes::Split WholeNodes::split_of(NodeId node, const Reserved& made,
                                       std::span<const Reserved> reserved) const {
  const Instant empty = empty_from(node);
  const auto next = std::lower_bound(reserved.begin(), reserved.end(), made.from,
                                     [](const Reserved& r, Instant t) { return r.from < t; });
  const bool after_run = next == reserved.begin() || std::prev(next)->until <= empty;
  const Instant from = after_run ? empty : std::prev(next)->until;
  const Instant until = next == reserved.end() ? Instant::max() : next->from;
  return Split{from, until, topology_->class_of(node), after_run, 0};
}

void WholeNodes::apply(const Split& split, const Reserved& made) {
  const auto [from, until, node_class, after_run, nodes] = split;
  if (from >= until) return;
  std::vector<FreeStretch>& before = after_run ? changes_of_runs_ : reservations_;
  count(before, {from, until, node_class, -nodes});
  count(before, {from, std::max(from, made.from), node_class, nodes});
  count(made.until > from ? reservations_ : before,
        {std::max(from, made.until), until, node_class, nodes});
}

}  // namespace sluice
