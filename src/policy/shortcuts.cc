// What shortcuts forget when a policy comes into force or a pass begins.
#include "policy/shortcuts.h"

#include <algorithm>

namespace sluice {

void Shortcuts::adopt(const Policy& policy) {
  limits_set_ = LimitPresence(policy);
  limit_memory_.adopt(policy);
  fits_idle_.clear();
  all_up_states_ = 0;
  kept_.forget();
}

bool Shortcuts::knows_all_nodes_up(const State& state) {
  if (off_) return false;
  const std::uint64_t states = state.node_changes().states();
  if (std::exchange(all_up_states_, states) != states)
    all_up_ = std::all_of(state.nodes().begin(), state.nodes().end(),
                          [](const NodeUse& use) { return use.state == NodeState::kUp; });
  return all_up_;
}

bool Shortcuts::is_still_blocked(const State& state, const Queue& queue) {
  if (looks_at_all() || !blocker_ || blocker_->starts != state.starts()) return false;
  const QueueEntry& first = queue.entries()[queue.head()];
  return first.job == blocker_->job && !chance_.has_room(first);
}

// What a plan follows from is more than which jobs hold nodes where there are reservations, or
// where a partition may have only some CPUs of a node.
void Shortcuts::begin_plans(const PassInput& input, Instant latest) {
  const bool reserves = !input.state.reservations().empty();
  keeps_plans_ = !off_ && !reserves;
  hopeless_.clear();
  kept_.begin(input.state, input.now, latest);
  if (!keeps_plans_ || traits_.caps_cpus) kept_.forget();
}

}  // namespace sluice
