// sacct --json: jobs with their steps, as Slurm 22.05 has them.
#pragma once

#include <string>
#include <vector>

#include "shims/sacct_fields.h"

namespace sluice {

// A job's own line and those of its steps that were asked for.
struct SacctJob {
  SacctLine job;
  std::vector<SacctLine> steps;
};

std::string accounts_json(const std::vector<SacctJob>& jobs, const SacctContext& context);

}  // namespace sluice
