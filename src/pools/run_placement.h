// `sluice run` over several accounts and devices, and on Slurm through srun.
#pragma once

namespace sluice {

// From now on `sluice run` asks here where a command goes.
void use_pools_for_run();

}  // namespace sluice
