// What this machine has, as a node of a policy.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"

namespace sluice {

struct FoundGpu {
  Gpu gpu;               // Type and device file.
  std::string name;      // As the vendor spells it.
  std::string identity;  // "GPU-5f0e…": what CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES takes.
};

struct Survey {
  Node node;
  std::vector<FoundGpu> gpus;  // In the order of the node's.
  std::string gpus_found_by;   // "NVML", "/proc/driver/nvidia", "ROCm's sysfs" or "".

  // By device file, for RunFacts.
  std::map<std::string, std::string> gpu_identities() const;
};

// Looks at the machine; takes a few milliseconds, or a second where a GPU has to wake up.
Survey survey_machine();
// Only at files below `root`, as if it were "/".
Survey survey_files(const std::string& root);

// "NVIDIA A100-SXM4-80GB" is an "a100", "NVIDIA GeForce RTX 3090" an "rtx_3090".
std::string gpu_type(std::string_view name);

}  // namespace sluice
