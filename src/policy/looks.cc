// Groups ends of runs as slurmctld does.
#include "policy/looks.h"

#include <algorithm>

#include "policy/placement.h"

namespace sluice {
namespace {

constexpr std::int64_t kFirstGroup = 30;

// How long the groups are: each up to a time, and the next twice as long.
class Group {
 public:
  explicit Group(Instant first) {
    const std::int64_t over = to_seconds(first.time_since_epoch()) % kFirstGroup;
    last_ = first + seconds(kFirstGroup - over);
  }
  Instant last() const { return last_; }
  void move_on() {
    length_ *= 2;
    last_ += seconds(length_);
  }

 private:
  std::int64_t length_ = kFirstGroup;
  Instant last_;
};

bool is_large_enough(const Shape& shape, const Node& node) {
  return node.cpus >= shape.cpus_per_task && node.memory_mb >= shape.memory_per_node;
}

bool could_use(const Topology& topology, const Shape& shape, NodeId node) {
  return is_large_enough(shape, topology.policy().nodes[node.index()]) &&
         may_use(topology, shape, node);
}

}  // namespace

Looks::Looks(const State& state, Instant now, const std::function<bool(NodeId)>& can_use)
    : now_(now), grouped_(state.policy().scheduler.type == SchedulerType::kBackfill) {
  if (!grouped_) return;
  const auto is_in_the_way = [&](const ExpectedEnd& end) {
    const auto shares = state.run_of(state.job(end.job)).allocation.shares();
    return std::any_of(shares.begin(), shares.end(),
                       [&](const NodeShare& share) { return can_use(share.node); });
  };
  const std::vector<ExpectedEnd>& ends = state.expected_ends();
  auto begin = std::find_if(ends.begin(), ends.end(), is_in_the_way);
  if (begin == ends.end()) return;
  // Of a group only its last end matters, so it is read from behind.
  for (Group group(begin->at); begin != ends.end(); group.move_on()) {
    const auto end = std::partition_point(
        begin, ends.end(), [&](const ExpectedEnd& e) { return e.at <= group.last(); });
    const auto last =
        std::find_if(std::reverse_iterator(end), std::reverse_iterator(begin), is_in_the_way);
    if (last.base() != begin) times_.push_back(last->at);
    begin = end;
  }
}

Instant Looks::of(Instant end) const {
  if (!grouped_ || end <= now_) return end;
  const auto look = std::lower_bound(times_.begin(), times_.end(), end);
  return look == times_.end() ? end : *look;
}

Instant Looks::after(Instant time) const {
  const auto look = std::upper_bound(times_.begin(), times_.end(), time);
  return look == times_.end() ? Instant::max() : *look;
}

Instant Looks::last(Instant time) const {
  if (!grouped_) return time;
  const auto next = std::upper_bound(times_.begin(), times_.end(), time);
  return next == times_.begin() ? now_ : std::max(*std::prev(next), now_);
}

Looks looks_of(const State& state, const Topology& topology, const Shape& shape,
               PartitionId partition, Instant now) {
  const std::vector<std::uint32_t>& places = topology.places(partition);
  return Looks(state, now, [&](NodeId node) {
    return places[node.index()] != Topology::kNowhere && could_use(topology, shape, node);
  });
}

const Looks& LooksOfPass::of(const State& state, const Topology& topology, const Shape& shape,
                             PartitionId partition) {
  if (ends_ != state.node_changes().ends()) known_.clear();
  ends_ = state.node_changes().ends();
  if (!shape.request->exclude_nodes.empty())
    return alone_.emplace(looks_of(state, topology, shape, partition, now_));
  classes_.assign(topology.class_count(), 0);
  for (std::uint32_t number : topology.classes(partition))
    classes_[number] = could_use(topology, shape, topology.first_of_class(number)) ? 1 : 0;
  const auto same = std::find_if(known_.begin(), known_.end(),
                                 [&](const Known& known) { return known.classes == classes_; });
  if (same != known_.end()) return same->looks;
  const auto can_use = [&](NodeId node) { return classes_[topology.class_of(node)] != 0; };
  return known_.emplace_back(Known{classes_, Looks(state, now_, can_use)}).looks;
}

}  // namespace sluice
