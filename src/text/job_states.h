// Lists of job states: "R,PD", "pending,running", "all" as squeue, sacct and scancel take them.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/outcome.h"

namespace sluice {

// Empty together with all == false: only states that no job here ever has (CONFIGURING, …).
struct JobStateList {
  bool all = false;
  std::vector<JobState> states;
  bool contains(JobState state) const;
  friend bool operator==(const JobStateList&, const JobStateList&) = default;
};

// Long or short names in any case. States of Slurm that a job here never has are taken and match
// nothing; other words are refused with the list.
Result<JobStateList> parse_job_states(std::string_view text);

}  // namespace sluice
