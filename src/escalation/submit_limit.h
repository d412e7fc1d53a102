// Refusals that say "not now": fewer jobs may be submitted.
#pragma once

#include <string>

#include "model/reason.h"

namespace sluice {

inline bool is_submit_limit(const Refusal& refusal) {
  const Rule rule = refusal.reason.rule;
  return rule == Rule::kGrpSubmitJobs || rule == Rule::kMaxSubmitJobsPerUser ||
         rule == Rule::kMaxSubmitJobsPerAccount ||
         // MaxJobCount: so many jobs are there, those that ended a while ago among them.
         refusal.message.find("Resource temporarily unavailable") != std::string::npos;
}

}  // namespace sluice
