// A question to Slurm: it changes nothing, so it may be given up at any time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "slurm/command.h"

namespace sluice {

// The daemon that answers a command of Slurm: slurmctld or slurmdbd.
std::string_view daemon_asked(const std::vector<std::string>& argv);

// As run_command. Where no answer has come for some seconds, the daemon is asked for a sign of
// life. One that gives it may take its time; one that gives none is away, and the question is given
// up (exit code 69) before a person has waited ten seconds.
Result<CommandOutput> run_question(const std::vector<std::string>& argv,
                                   const std::vector<std::string>& environment, Duration limit);

}  // namespace sluice
