// Sizes and run times after Lublin and Feitelson's model of 2003 ("The workload on parallel
// supercomputers"), with the parameters of its batch jobs.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "sim/workloads/splitmix.h"

namespace sluice {

// Processors of a job, at most `most`: a quarter are serial, most others a power of two, and the
// logarithm of the size is uniform in two stages.
std::int32_t lublin_size(Draws& draws, std::int32_t most);

// The logarithm of the run time is one of two gamma variables; large jobs draw the long one more
// often.
Duration lublin_run(Draws& draws, std::int32_t cpus);

}  // namespace sluice
