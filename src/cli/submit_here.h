// A job that goes to the daemon of this machine as it is: nothing is routed, nothing climbs.
#pragma once

#include "base/result.h"
#include "cli/cli.h"
#include "text/sbatch_options.h"

namespace sluice {

Result<ExitCode> submit_here(const SbatchRequest& request);

}  // namespace sluice
