// Where a command of `sluice run` goes that names several accounts, a device or Slurm: main() says
// how that is decided.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/cli.h"
#include "text/sbatch_options.h"

namespace sluice {

// What `run` was asked for beside sbatch's options.
struct RunAsked {
  SbatchRequest request;
  std::vector<std::string> command;  // As typed.
  bool terminal = false;             // --pty
};

class RunPlacement {
 public:
  virtual ~RunPlacement() = default;
  // The job in the pool that has room.
  virtual Result<JobSpec> place(const RunAsked& asked) = 0;
  // Whether it runs on Slurm; then srun takes over, and this returns only where that fails.
  virtual Result<bool> is_slurm(const RunAsked& asked) = 0;
  virtual Result<ExitCode> run_on_slurm(const RunAsked& asked) = 0;
};
void use_run_placement(RunPlacement* placement);

}  // namespace sluice
