// A job from what a person typed: sbatch's options, our own, the script and the surroundings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "text/sbatch_options.h"

namespace sluice {

// The environment of this process.
std::vector<EnvironmentVariable> own_environment();

// SBATCH_* are for sbatch: srun and salloc have variables of their own.
enum class SbatchVariables : std::uint8_t { kTaken, kIgnored };

// The same line with the job's number where a dependency names the last submission.
Result<SbatchCommandLine> with_last_named(SbatchCommandLine line);

// Reads the script that the command line names, or standard input, or takes an executable that is
// no script as a program.
Result<SbatchRequest> request_of(const SbatchCommandLine& line);
Result<SbatchRequest> request_of(const SbatchCommandLine& line, SbatchVariables variables);

// The same for a person: a mistake in the script comes with the script's name and the line.
Result<SbatchRequest> request_as_typed(const SbatchCommandLine& line);

// The same with a script that is no file.
Result<SbatchRequest> request_of_text(const SbatchCommandLine& line, const std::string& script);

// Jobs begin in the folder where they were submitted, and write there: an error where it is gone
// and the request names no other.
Result<void> check_folder_of(const SbatchRequest& request);

// Fills in what only the caller's process knows: folder, environment, limits.
void add_surroundings(SbatchRequest& request);

// The full path of a command, as the shell would find it.
Result<std::string> find_command(const std::string& name);

}  // namespace sluice
