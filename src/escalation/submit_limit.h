// Refusals that say "not now": fewer jobs may be submitted.
#pragma once

#include <string>

#include "model/limit_table.h"
#include "model/reason.h"

namespace sluice {

inline bool is_submit_limit(const Refusal& refusal) {
  return limit_counts(refusal.reason.rule, LimitCounts::kSubmitted) ||
         // MaxJobCount: so many jobs are there, those that ended a while ago among them.
         refusal.message.find("Resource temporarily unavailable") != std::string::npos;
}

}  // namespace sluice
