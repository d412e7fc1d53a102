// A live cluster after the commands of a plan: what is left out stays, and slurm.conf is not
// edited.
#pragma once

#include "model/policy.h"
#include "policyfile/plan/plan.h"

namespace sluice {

Policy after_commands(Policy wanted, const Policy& live, const Plan& plan);

}  // namespace sluice
