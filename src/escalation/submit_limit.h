// Refusals that say "not now": fewer jobs may be submitted.
#pragma once

#include "model/reason.h"

namespace sluice {

inline bool is_submit_limit(Rule rule) {
  return rule == Rule::kGrpSubmitJobs || rule == Rule::kMaxSubmitJobsPerUser ||
         rule == Rule::kMaxSubmitJobsPerAccount;
}

}  // namespace sluice
