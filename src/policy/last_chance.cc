// Room and victims, as far as they can be told without looking for a place.
#include "policy/last_chance.h"

#include <algorithm>

namespace sluice {

void LastChance::begin(const State& state, const Queue& queue, const FreeNodes& free, Instant now) {
  state_ = &state;
  queue_ = &queue;
  free_ = &free;
  now_ = now;
  end_ = queue.entries().size();
  asked_ = 0;
  lacked_ = 0;
  ++pass_;
  until_.resize(free.all().size());
  qos_running_.clear();
}

bool LastChance::has_room(const QueueEntry& entry) {
  const auto known = std::span(lacking_).first(std::min(lacked_, kMostLacking));
  if (std::any_of(known.begin(), known.end(), [&](const Lacking& less) {
        return less.cpus <= entry.cpus && less.nodes <= entry.min_nodes &&
               less.limit <= entry.limit;
      }))
    return false;
  if (finds_room(entry)) return true;
  lacking_[lacked_++ % kMostLacking] = {entry.cpus, entry.min_nodes, entry.limit};
  return false;
}

bool LastChance::finds_room(const QueueEntry& entry) const {
  const Instant end = now_ + entry.limit;
  std::int64_t cpus = 0;
  std::int32_t nodes = 0;
  bool found = false;
  free_->for_each_with_cpus(1, [&](NodeId node) {
    if (until(node) < end) return true;
    cpus += (*free_)[node].cpus;
    found = ++nodes >= entry.min_nodes && cpus >= entry.cpus;
    return !found;
  });
  return found;
}

// Whether anybody runs whom it may push out, exempt or not.
bool LastChance::has_victims(const QueueEntry& entry) {
  const Policy& policy = state_->policy();
  if (policy.preemption.type != PreemptType::kQos || !state_->suspended().empty()) return true;
  if (qos_running_.empty()) {
    qos_running_.assign(policy.qos.size(), 0);
    for (const ExpectedEnd& end : state_->expected_ends())
      if (const auto& qos = state_->shape_of_job(state_->job(end.job)).qos)
        qos_running_[qos->index()] = 1;
  }
  const auto& qos = state_->shape_of_job(state_->job(entry.job)).qos;
  if (!qos) return false;
  const std::vector<QosId>& below = policy.qos[qos->index()].preempt;
  return std::any_of(below.begin(), below.end(),
                     [&](QosId id) { return qos_running_[id.index()] != 0; });
}

}  // namespace sluice
