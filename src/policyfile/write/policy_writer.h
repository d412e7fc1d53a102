// The model to policy.yaml; reading it back gives the same policy.
#pragma once

#include <string>

#include "model/policy.h"
#include "policyfile/plan/slurm_only.h"
#include "policyfile/read/value.h"

namespace sluice {

// Holds for policies as a file can say them: nodes of a partition in the order of the table,
// associations depth first with the users of an account before the accounts below it, users in the
// order in which associations name them.
std::string write_policy(const Policy& policy, const SlurmOnly& slurm_only = {});
// The same as JSON, for programs.
std::string write_policy_json(const Policy& policy, const SlurmOnly& slurm_only = {});
Value policy_value(const Policy& policy, const SlurmOnly& slurm_only = {});

}  // namespace sluice
