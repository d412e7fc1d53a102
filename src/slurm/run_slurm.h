// The Slurm that SLURM_CONF or the system's own configuration names, asked once and now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "slurm/command.h"
#include "slurm/policy_texts.h"

namespace sluice {

// Slurm's commands see an environment of their own: none of the variables that would change what
// they print or which cluster they ask.
std::vector<std::string> slurm_environment();

// A command of Slurm, whatever it says.
Result<CommandOutput> try_slurm(const std::vector<std::string>& argv,
                                std::optional<Duration> limit = {});
// A question to Slurm, with what it says when it fails as an error: 77 where it refuses, 69 where
// it does not answer; question.h says how long that takes.
Result<CommandOutput> ask_slurm(const std::vector<std::string>& argv,
                                std::optional<Duration> limit = {});

Result<SlurmIdentity> slurm_identity(std::optional<Duration> limit = {});
Result<SlurmTexts> read_slurm_texts();

}  // namespace sluice
