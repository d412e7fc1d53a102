// The policy to go by: the file's, or one made from this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node.h"
#include "model/policy.h"
#include "policyfile/finding.h"

namespace sluice {

struct PolicyChoice {
  std::shared_ptr<const Policy> policy;
  std::string origin;  // "file" or "survey"
  std::vector<Finding> findings;
};

// A policy for whoever has said nothing: this machine is the only node, everybody may use it,
// memory is dealt out by CPUs.
Result<Policy> policy_of_machine(const Node& machine);

// Errors in the file come back as findings, and there is no policy then.
Result<PolicyChoice> choose_policy(const std::string& file, const Node& machine);

}  // namespace sluice
