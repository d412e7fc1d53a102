// srun's and salloc's options: sbatch's and their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shims/shim.h"
#include "shims/step.h"
#include "text/node_count.h"

namespace sluice {

struct SrunOptions {
  StepPlan step;
  std::vector<std::string> for_job;  // What a job of its own is asked with: sbatch's spellings.
  bool tasks_given = false;
  bool exact = false;    // The step holds the CPUs of its tasks, not all of its job's.
  bool overlap = false;  // It keeps nothing from other steps.
  bool multi_prog = false;
  std::optional<MemoryRequest> memory;
  std::optional<std::string> job;  // --jobid
  std::optional<NodeCount> nodes;
  std::optional<std::int64_t> tasks_per_node;
  std::int64_t relative = 0;  // Of the job's nodes the first so many are left out.
  std::string nodelist;
  std::string exclude;
  bool overcommit = false;
  bool help = false;
  bool usage = false;
  bool version = false;
};

// Whether the step is to run in a job that is there already: then the environment, which that job
// has made, says nothing of a job around it.
enum class InJob : std::uint8_t { kNo, kYes };

// The command line over the environment (SLURM_* for srun, SALLOC_* for salloc). Nothing where an
// option is unknown or wrong, which the call was told.
std::optional<SrunOptions> read_srun_options(ShimCall& call, InJob in_job);

}  // namespace sluice
