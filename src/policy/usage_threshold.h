// EnforceUsageThreshold: jobs whose fairshare gives too little to their priority do not start.
#pragma once

#include <cstdint>
#include <optional>

#include "model/reason.h"
#include "policy/fairshare.h"
#include "state/state.h"

namespace sluice {

// As a reason's limit: the QoS asks for fairshare and says not for how much, so no job passes.
inline constexpr std::int64_t kNoThreshold = -1;

inline bool has_threshold(const Policy& policy, const Shape& shape) {
  return policy.enforce.limits && shape.qos && shape.assoc &&
         policy.qos[shape.qos->index()].flags.enforce_usage_threshold;
}

// Of a job that has one: the reason, and whether it passed. The rows must be ranked.
struct ThresholdSeen {
  Reason reason;
  bool passed = false;
};
ThresholdSeen threshold_of(const Policy& policy, const Shape& shape, const Fairshare& fairshare);

// The same with fairshare as it is now, for explanations; nothing where it passed or has none.
std::optional<Reason> threshold_now(const State& state, const Shape& shape);

}  // namespace sluice
