// What a live Slurm would have to do to be as wished, and which jobs that would affect.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/queued_job.h"
#include "policyfile/plan/plan.h"
#include "sim/forks/blast_radius.h"
#include "targets/policy_target.h"

namespace sluice {

// What the cluster shall be like, and which differences count.
struct Aim {
  Policy policy;
  Consent consent;
  bool restore = false;
  std::map<std::string, std::string> organizations;
  SlurmOnly slurm_only;
  // What the file names of its settings; nothing: the policy says all of it.
  std::optional<std::set<std::string>> named;
  std::optional<std::set<std::string>> only;
};

struct Prospect {
  LivePolicy live;
  Plan plan;
  std::vector<JobEffect> effects;
};

Prospect look_ahead(LivePolicy live, const std::vector<QueuedJob>& jobs, const Aim& aim,
                    Instant now);

std::string prospect_text(const Prospect& prospect);
Value prospect_value(const Prospect& prospect);

}  // namespace sluice
