// srun's and salloc's options: sbatch's and their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shims/shim.h"
#include "shims/step.h"

namespace sluice {

struct SrunOptions {
  StepPlan step;
  std::vector<std::string> for_job;  // What a job of its own is asked with: sbatch's spellings.
  bool tasks_given = false;
  std::optional<std::int64_t> nodes;
  bool overcommit = false;
  bool help = false;
  bool usage = false;
  bool version = false;
};

// Nothing where an option is unknown or wrong, which the call was told.
std::optional<SrunOptions> read_srun_options(ShimCall& call);

}  // namespace sluice
