// Follows the changes of nodes.
#include "policy/free_nodes.h"

#include <algorithm>
#include <bit>

namespace sluice {

void FreeNodes::adopt(const Topology& topology) {
  topology_ = &topology;
  read_at_ = 0;
  all_.clear();
}

std::size_t FreeNodes::levels_of(std::int32_t cpus) {
  if (cpus <= 0) return 0;
  return std::min(kLevels,
                  static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(cpus))));
}

const RankBits& FreeNodes::with_cpus(std::int32_t cpus) const {
  return levels_[std::max<std::size_t>(levels_of(cpus), 1) - 1];
}

// What every node must have free that takes part in the job.
std::int32_t FreeNodes::least_cpus(const Shape& shape) {
  const bool one_node = shape.max_nodes == 1 || shape.tasks == 1;
  const std::int32_t tasks =
      std::max(shape.least_tasks_on_node, one_node && shape.min_nodes == 1 ? shape.tasks : 1);
  return std::max(1, tasks * shape.cpus_per_task);
}

void FreeNodes::read_all(const State& state) {
  read_free(state, all_);
  room_ = 0;
  for (RankBits& level : levels_) level.resize(all_.size());
  idle_.resize(all_.size());
  usable_.assign(topology_->class_count(), 0);
  closed_classes_.assign(topology_->class_count(), 0);
  for (std::uint32_t i = 0; i < all_.size(); ++i) update(NodeId(i), NodeFree{.usable = false});
}

void FreeNodes::read(const State& state) {
  const NodeChanges& changes = state.node_changes();
  const auto read_one = [&](NodeId node) { set(node, free_of(state.nodes()[node.index()])); };
  if (plain_ || all_.size() != state.nodes().size() || !changes.since(read_at_, read_one))
    read_all(state);
  for (NodeId node : closed_) read_one(node);
  closed_.clear();
  if (any_class_closed_) closed_classes_.assign(topology_->class_count(), 0);
  any_class_closed_ = false;
  read_at_ = changes.count();
}

void FreeNodes::follow(const State& state) {
  const std::vector<NodeId> closed = std::move(closed_);
  closed_.clear();
  const std::vector<std::uint8_t> classes = closed_classes_;
  const bool any = any_class_closed_;
  read(state);
  for (NodeId node : closed) close(node);
  closed_classes_ = classes;
  any_class_closed_ = any;
}

void FreeNodes::set(NodeId node, const NodeFree& now) {
  NodeFree& kept = all_[node.index()];
  if (kept == now) return;
  const NodeFree before = kept;
  kept = now;
  update(node, before);
}

void FreeNodes::update(NodeId node, const NodeFree& before) {
  const NodeFree& now = all_[node.index()];
  const std::int32_t had = before.usable ? std::max(0, before.cpus) : 0;
  const std::int32_t has = now.usable ? std::max(0, now.cpus) : 0;
  room_ += has - had;
  const std::size_t from = levels_of(had);
  const std::size_t to = levels_of(has);
  const RankRun place{topology_->rank(node), 1};
  for (std::size_t i = from; i < to; ++i) levels_[i].set(place);
  for (std::size_t i = to; i < from; ++i) levels_[i].reset(place);
  if (now.usable && now.jobs == 0 && !now.one_alone)
    idle_.set(place);
  else
    idle_.reset(place);
  if (before.usable != now.usable) usable_[topology_->class_of(node)] += now.usable ? 1 : -1;
}

void FreeNodes::take(const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) {
    const NodeFree before = all_[share.node.index()];
    sluice::take(all_[share.node.index()], share);
    update(share.node, before);
  }
}

void FreeNodes::close(NodeId node) {
  NodeFree now = all_[node.index()];
  now.usable = false;
  set(node, now);
  closed_.push_back(node);
}

void FreeNodes::close(PartitionId partition) {
  for (std::uint32_t number : topology_->classes(partition)) closed_classes_[number] = 1;
  any_class_closed_ = true;
  if (plain_)
    for (NodeId node : topology_->candidates(partition)) close(node);
}

std::int64_t FreeNodes::usable_in(PartitionId partition) const {
  std::int64_t usable = 0;
  for (std::uint32_t number : topology_->classes(partition))
    if (closed_classes_[number] == 0) usable += usable_[number];
  return usable;
}

}  // namespace sluice
