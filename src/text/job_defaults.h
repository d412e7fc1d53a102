// What comes with each GPU, as Slurm writes it: "DefCpuPerGPU=2,DefMemPerGPU=500".
#pragma once

#include <string>
#include <string_view>

#include "model/partition.h"

namespace sluice {

WithGpu parse_job_defaults(std::string_view text);
std::string format_job_defaults(const WithGpu& with_gpu);  // Empty: nothing is set.

}  // namespace sluice
