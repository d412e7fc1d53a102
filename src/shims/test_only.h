// --test-only: when and where a job would start, without submitting it.
#pragma once

#include "shims/shim.h"
#include "text/sbatch_options.h"

namespace sluice {

// Says it as sbatch and srun do; the exit code.
int test_only(ShimCall& call, const SbatchRequest& request);

}  // namespace sluice
