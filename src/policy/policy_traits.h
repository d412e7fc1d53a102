// What the policy in force asks of a pass, worked out once.
#pragma once

#include "model/policy.h"

namespace sluice {

struct PolicyTraits {
  PolicyTraits() = default;
  explicit PolicyTraits(const Policy& policy);

  bool only_cpus = false;  // Only the number of CPUs of one node can keep a job waiting.
  bool has_limits = false;
  bool given_may_pass = false;  // Some limit may let through more than was asked for.
  bool thresholds = false;      // Some QoS has EnforceUsageThreshold.
  bool time_lifts = false;      // Some limit goes by time alone: a job that waits for it is noted.
  bool limits_stop = false;     // assoc_limit_stop: what a limit stops holds up others.
  bool preempts = false;
  bool suspends = false;   // Some jobs are suspended to make room, at once.
  bool shares = false;     // Some partition lets jobs share CPUs.
  bool caps_cpus = false;  // Some partition may have only some CPUs of a node.
};

}  // namespace sluice
