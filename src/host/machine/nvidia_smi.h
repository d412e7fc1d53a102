// NVIDIA's own command, for a program that can load no library.
#pragma once

#include <string_view>
#include <vector>

#include "host/machine/survey.h"

namespace sluice {

// What `nvidia-smi -q` prints.
std::vector<FoundGpu> read_nvidia_smi(std::string_view text);

}  // namespace sluice
