// One run of a job: every launch, signal and exit carries this name.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "model/ids.h"

namespace sluice {

struct RunKey {
  JobId job;
  std::uint32_t attempt = 0;  // Counts from 1; 0: no job's, but an errand of the daemon's.
  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

inline bool is_of_a_job(RunKey run) { return run.attempt != 0; }

// "12.1": also what a job's processes carry in their environment.
inline std::string to_text(RunKey run) {
  return std::to_string(run.job.value()) + "." + std::to_string(run.attempt);
}

}  // namespace sluice
