// The live cluster that SLURM_CONF or the system's own configuration names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policyfile/slurm_import.h"
#include "slurm/command.h"

namespace sluice {

// Slurm's commands see an environment of their own: none of the variables that would change what
// they print or whom they ask.
std::vector<std::string> slurm_environment();

// A command of Slurm, with what it says when it fails as an error: 77 where it refuses, 69 where
// nobody answers.
Result<CommandOutput> run_slurm(const std::vector<std::string>& argv);

Result<SlurmTexts> read_slurm_texts();
Result<LivePolicy> read_live_policy();

}  // namespace sluice
