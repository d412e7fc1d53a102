// Goes along the steps of the last pass, as far as they lead.
#include "policy/kept_plan.h"

#include <algorithm>

namespace sluice {

bool KeptPlan::begin(const State& state, Instant now, Instant latest) {
  const std::vector<ExpectedEnd>& ends = state.expected_ends();
  next_ = 0;
  latest_ = latest;
  const bool holds =
      !steps_.empty() && state.suspended().empty() && (ends.empty() || ends.front().at > now) &&
      state.node_changes().count() == node_changes_ && state.node_changes().ends() == end_changes_;
  if (!holds) forget();
  grows_ = true;
  return holds;
}

const KeptPlan::Step* KeptPlan::next(const QueueEntry& entry, SpecId spec) {
  if (next_ == steps_.size()) return nullptr;
  const Step& step = steps_[next_];
  const bool same = step.job == entry.job && step.partition == entry.partition &&
                    step.spec == spec && step.limit == entry.limit &&
                    (step.found || step.start > latest_);
  if (!same) {
    drop_the_rest();
    return nullptr;
  }
  ++next_;
  return &step;
}

void KeptPlan::drop_the_rest() {
  if (next_ == steps_.size()) return;
  nodes_.resize(steps_[next_].nodes);
  steps_.resize(next_);
}

KeptPlan::Step& KeptPlan::append(const QueueEntry& entry, SpecId spec) {
  drop_the_rest();
  Step& step = steps_.emplace_back();
  step.job = entry.job;
  step.spec = spec;
  step.partition = entry.partition;
  step.limit = entry.limit;
  step.nodes = static_cast<std::uint32_t>(nodes_.size());
  next_ = steps_.size();
  return step;
}

void KeptPlan::add(const QueueEntry& entry, SpecId spec, Instant start,
                   std::span<const NodeId> nodes) {
  if (!grows_) return;
  Step& step = append(entry, spec);
  step.start = start;
  step.count = static_cast<std::uint32_t>(nodes.size());
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
}

void KeptPlan::add_hopeless(const QueueEntry& entry, SpecId spec, Instant first_chance,
                            std::optional<std::int32_t> hopeless_from) {
  if (!grows_) return;
  Step& step = append(entry, spec);
  step.found = false;
  step.start = first_chance;
  step.hopeless_from = hopeless_from;
}

void KeptPlan::end(const State& state) {
  node_changes_ = state.node_changes().count();
  end_changes_ = state.node_changes().ends();
}

}  // namespace sluice
