// Where a policy is planned against and applied to: a live Slurm today, other engines later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/queued_job.h"
#include "policyfile/plan.h"

namespace sluice {

class PolicyTarget {
 public:
  virtual ~PolicyTarget() = default;
  // The policy that is in force now.
  virtual Result<LivePolicy> read() = 0;
  // Everybody's jobs that wait or run.
  virtual Result<std::vector<QueuedJob>> jobs() = 0;
  // An error of kind kNotAllowed where we are no administrator.
  virtual Result<void> may_change() = 0;
  // One step; doing it twice is harmless.
  virtual Result<void> carry_out(const PlanStep& step) = 0;
};

std::unique_ptr<PolicyTarget> slurm_policy_target();

}  // namespace sluice
