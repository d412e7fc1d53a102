// squeue --json: every record, whatever else was asked, as Slurm 22.05 has it.
#pragma once

#include "shims/shim.h"

namespace sluice {

int print_queue_json(ShimCall& call);

}  // namespace sluice
