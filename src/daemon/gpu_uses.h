// Which GPUs the runs of this machine have, for the watch over what they do.
#pragma once

#include "daemon/driver.h"
#include "host/machine/gpu_watch.h"

namespace sluice {

// Runs that there are, and those that start from now on. Their ends are asked for by the caller.
void watch_gpus(Driver& driver, GpuWatch& watch);

}  // namespace sluice
