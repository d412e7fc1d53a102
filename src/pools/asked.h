// What a person asked to be submitted, and the submission to whichever accounts have room now.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/cli.h"
#include "text/sbatch_options.h"

namespace sluice {

// With script, environment and folder.
struct Asked {
  SbatchRequest request;
  std::string engine;                 // slurm or embedded.
  std::vector<std::string> accounts;  // Where several are named; the job itself names none then.
};

Result<ExitCode> submit_routed(Asked asked);

}  // namespace sluice
