// Policy files and saved plans as aims, and saved plans written. A saved plan is JSON: the aim,
// and what it leads to.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "targets/prospect.h"

namespace sluice {

inline constexpr const char* kPlanSchema = "sluice.policy.plan/1";

std::string plan_file_text(const Aim& aim, const Prospect& prospect);
struct PlanFile {
  Aim aim;
  std::string cluster;
  std::set<std::string> subjects;  // What its commands are about.
};
Result<PlanFile> read_plan_file(const std::string& path);
// "slurm" or "embedded": where a saved plan belongs.
Result<std::string> engine_of_plan(const std::string& path);

// The text of a policy file that was named on the command line, or of ./policy.yaml.
Result<std::string> read_policy_document(const std::string& path);

// What the file says; an error where `policy check` finds one.
Result<Aim> read_policy_file(const std::string& path);
// An error where the file is meant for another cluster.
Result<void> check_cluster_name(const Policy& wanted, const std::string& live,
                                const std::string& confirmed);

}  // namespace sluice
