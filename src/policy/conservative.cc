#include "policy/conservative.h"

#include <algorithm>
#include <utility>

namespace sluice {

void ConservativePlan::pass(const State& state, const Queue& queue, Instant now, bool ended,
                            Decisions& out) {
  follow(queue);
  if (places_.empty()) return;
  read(state, now);
  for (const Place& place : places_)
    if (!place.is_new) take(place, place.cpus);
  for (Place& place : places_) {
    if (!place.is_new && (!ended || place.start <= now)) continue;
    if (!place.is_new) take(place, -place.cpus);
    place.start = earliest(place);
    place.is_new = false;
    take(place, place.cpus);
  }
  // What ends at this very instant may still hold its CPUs; its end brings another pass.
  const NodeUse& node = state.nodes().front();
  std::int64_t free = node.cpus - state.cpus_taken() - node.cpus_suspended;
  const PartitionId partition{0};
  static constexpr NodeId kOnlyNode[] = {NodeId{0}};
  for (const Place& place : places_) {
    if (place.start <= now && place.cpus <= free) {
      NodeShare share;
      share.cpus = place.cpus;
      free -= place.cpus;
      out.start(place.job, partition, Allocation(share));
    } else {
      out.plan(place.job, place.start, kOnlyNode);
      out.wait(place.job, partition, Reason{.rule = Rule::kResources});
    }
  }
}

// Those that left the queue are forgotten, those that came are new.
void ConservativePlan::follow(const Queue& queue) {
  before_.swap(places_);
  places_.clear();
  std::size_t known = 0;
  for (std::size_t i = queue.head(); i < queue.entries().size(); ++i) {
    const QueueEntry& entry = queue.entries()[i];
    if (entry.gone) continue;
    while (known < before_.size() && before_[known].job < entry.job) ++known;
    if (known < before_.size() && before_[known].job == entry.job)
      places_.push_back(before_[known++]);
    else
      places_.push_back({entry.job, entry.cpus, entry.limit, {}, true});
  }
}

void ConservativePlan::read(const State& state, Instant now) {
  const NodeUse& node = state.nodes().front();
  steps_.clear();
  std::int64_t free = node.cpus - node.cpus_suspended;
  for (const ExpectedEnd& end : state.expected_ends())
    if (end.at > now) free -= end.cpus;
  steps_.push_back({now, free});
  for (const ExpectedEnd& end : state.expected_ends()) {
    if (end.at <= now) continue;
    free += end.cpus;
    if (steps_.back().from == end.at)
      steps_.back().free = free;
    else
      steps_.push_back({end.at, free});
  }
}

std::size_t ConservativePlan::cut(Instant at) {
  const auto next =
      std::lower_bound(steps_.begin(), steps_.end(), at,
                       [](const Step& step, Instant time) { return step.from < time; });
  const auto index = static_cast<std::size_t>(next - steps_.begin());
  if (next != steps_.end() && next->from == at) return index;
  steps_.insert(next, {at, steps_[index - 1].free});
  return index;
}

void ConservativePlan::take(const Place& place, std::int64_t cpus) {
  const std::size_t first = cut(std::max(place.start, steps_.front().from));
  const std::size_t end = cut(std::max(place.start, steps_.front().from) + place.limit);
  for (std::size_t i = first; i < end; ++i) steps_[i].free -= cpus;
}

Instant ConservativePlan::earliest(const Place& place) const {
  Instant start = steps_.front().from;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].from >= start + place.limit) break;
    if (steps_[i].free >= place.cpus) continue;
    if (i + 1 == steps_.size()) break;
    start = steps_[i + 1].from;
  }
  return start;
}

}  // namespace sluice
