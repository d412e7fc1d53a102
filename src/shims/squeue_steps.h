// squeue --steps: what runs inside the jobs that run.
#pragma once

#include <string_view>
#include <vector>

#include "shims/shim.h"
#include "views/record_line.h"

namespace sluice {

// `format` as --format has it; "" for squeue's own.
int print_steps(ShimCall& call, const std::vector<RecordLine>& records, std::string_view format,
                bool header);

}  // namespace sluice
