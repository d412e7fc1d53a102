// A live Slurm's policy, read from what its own commands print.
#pragma once

#include "base/result.h"
#include "policyfile/plan/live_policy.h"
#include "slurm/policy_texts.h"

namespace sluice {

Result<LivePolicy> import_policy(const SlurmTexts& texts);
// Of the Slurm that SLURM_CONF names, now.
Result<LivePolicy> read_live_policy();

}  // namespace sluice
