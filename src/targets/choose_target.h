// Which target a policy verb means.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "targets/policy_target.h"

namespace sluice {

// For verbs that only read: what was asked for, else SLUICE_ON, else the one whose cluster the file
// names, else Slurm where it is installed.
Result<std::unique_ptr<PolicyTarget>> target_to_read(const std::string& on,
                                                     const PolicyWish& wish = {});

// For verbs that change something: a target is never picked because it is there. Where Slurm is
// installed, --on, SLUICE_ON, the saved plan or the cluster that the file names must say which.
// `again` is what to type, less --on.
Result<std::unique_ptr<PolicyTarget>> target_to_change(const std::string& on,
                                                       const PolicyWish& wish,
                                                       const std::string& again);

// Whether sacctmgr is in PATH, and is not a link to this program.
bool is_slurm_installed();

// "slurm" or "embedded", where the cluster of a policy file is that of exactly one of the two.
std::optional<std::string> engine_of_cluster(const std::string& named,
                                             const std::optional<std::string>& slurm,
                                             const std::optional<std::string>& daemon);

}  // namespace sluice
