// NVIDIA's management library, loaded at run time where it is installed.
#pragma once

#include <optional>
#include <vector>

#include "host/machine/survey.h"

namespace sluice {

// Nothing: there is no library, or no driver that it could talk to.
std::optional<std::vector<FoundGpu>> gpus_by_nvml();

// What names NVIDIA's cards: NVML, until main() says that this program can load no library.
struct GpuSource {
  const char* name;
  std::optional<std::vector<FoundGpu>> (*find)();
};
void use_gpu_source(GpuSource source);
const GpuSource& gpu_source();

}  // namespace sluice
