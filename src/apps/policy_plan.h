// What `policy plan`, `apply` and `undo` share: a plan with its jobs, and the file it is kept in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "apps/policy_target.h"
#include "base/result.h"
#include "policyfile/plan.h"
#include "sim/blast_radius.h"

namespace sluice {

class Command;

// What must be named before it is done.
struct Consent {
  std::vector<std::string> deletions;
  std::vector<std::string> admin_levels;
  std::vector<std::string> coordinators;
};
void add_consent_options(Command& verb, Consent& consent);

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

// Reads the cluster and its queue, and compares.
Result<Prospect> look_ahead(PolicyTarget& target, const Aim& aim);

std::string prospect_text(const Prospect& prospect);
std::string prospect_json(const Prospect& prospect);

// A plan that can be applied exactly, or undone: the aim, and what it leads to. JSON.
std::string plan_file_text(const Aim& aim, const Prospect& prospect);
struct PlanFile {
  Aim aim;
  std::string cluster;
  std::set<std::string> subjects;  // What its commands are about.
};
Result<PlanFile> read_plan_file(const std::string& path);

// What the file says; an error where `policy check` finds one.
Result<Aim> read_policy_file(const std::string& path);
// An error where the file is meant for another cluster.
Result<void> check_cluster_name(const Policy& wanted, const std::string& live,
                                const std::string& confirmed);

}  // namespace sluice
