// Runs a job, or tasks of an array, again: a new submission of the same request.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/cli.h"

namespace sluice {

struct RerunJob {
  std::string job;  // "12", "12_3", "12_[1-5]"
  bool failed = false;
  std::string tasks;  // As in --array.
  bool json = false;
};
Result<ExitCode> rerun_job(const RerunJob& wanted);

}  // namespace sluice
