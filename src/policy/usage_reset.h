// PriorityUsageResetPeriod: when past use is forgotten altogether.
#pragma once

#include "base/time.h"
#include "model/policy.h"

namespace sluice {

// Whether a day, week (they begin on Sunday), month, quarter or year begins after the one instant
// and no later than the other. In UTC: the engine knows of no other place.
bool usage_resets_between(UsageReset period, Instant after, Instant until);

}  // namespace sluice
