// Refusals that say "not now": fewer jobs may be submitted.
#pragma once

#include "model/limit_table.h"

namespace sluice {

inline bool is_submit_limit(Rule rule) { return limit_counts(rule, LimitCounts::kSubmitted); }

}  // namespace sluice
