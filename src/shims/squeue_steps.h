// squeue --steps: what runs inside the jobs that run.
#pragma once

#include <vector>

#include "shims/shim.h"
#include "views/record_line.h"

namespace sluice {

int print_steps(ShimCall& call, const std::vector<RecordLine>& records, bool header);

}  // namespace sluice
