// How far a job or an array is, at a glance: `sluice status 12`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/cli.h"

namespace sluice {

struct JobStatusOptions {
  std::string job;
  bool json = false;
  std::optional<std::int64_t> watch;  // Seconds; 0: as often as is useful.
};
Result<ExitCode> show_job_status(const JobStatusOptions& options);

}  // namespace sluice
