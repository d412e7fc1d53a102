// A request meets the books of its user, its account and of all above that set a limit.
#include "policy/limit_memory.h"

namespace sluice {
namespace {

bool counts_anything(const GroupLimits& group) {
  return group.jobs || group.wall || !group.tres.empty() || !group.tres_minutes.empty() ||
         !group.tres_run_minutes.empty();
}

}  // namespace

void LimitMemory::adopt(const Policy& policy) {
  by_request_.clear();
  counts_qos_.clear();
  for (const Qos& qos : policy.qos) counts_qos_.push_back(counts_anything(qos.group));
  counts_assoc_.clear();
  for (const Association& assoc : policy.associations)
    counts_assoc_.push_back(counts_anything(assoc.group));
}

bool LimitMemory::holds_since(const State& state, const QueueEntry& entry, const Shape& shape,
                              std::uint64_t then) const {
  const HoldingChanges& changes = state.holding_changes();
  if (changes.count() == then) return true;
  if (changes.of(shape.user) > then) return false;
  const Policy& policy = state.policy();
  const QosPair pair = qos_in_order(policy, entry.partition, shape.qos);
  for (const std::optional<QosId>& qos : {pair.first, pair.second})
    if (qos && counts_qos_[qos->index()] != 0 && changes.of(*qos) > then) return false;
  if (!shape.assoc) return true;
  // A QoS may limit an account by itself.
  std::optional<AssocId> above = policy.associations[shape.assoc->index()].parent;
  if (above && changes.of(*above) > then) return false;
  for (; above; above = policy.associations[above->index()].parent)
    if (counts_assoc_[above->index()] != 0 && changes.of(*above) > then) return false;
  return true;
}

std::optional<bool> LimitMemory::recall(const State& state, const QueueEntry& entry, SpecId spec,
                                        const Shape& shape) const {
  if (entry.request >= by_request_.size()) return std::nullopt;
  const Noted& noted = by_request_[entry.request];
  if (noted.spec != spec || noted.limit != entry.limit ||
      !holds_since(state, entry, shape, noted.changes))
    return std::nullopt;
  return noted.passes;
}

void LimitMemory::note(const State& state, const QueueEntry& entry, SpecId spec, bool passes) {
  if (entry.request >= by_request_.size()) by_request_.resize(entry.request + 1);
  by_request_[entry.request] = {spec, passes, entry.limit, state.holding_changes().count()};
}

}  // namespace sluice
