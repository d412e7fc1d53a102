// NVIDIA's management library, loaded at run time where it is installed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/machine/survey.h"

namespace sluice {

// What one GPU does at this moment.
struct GpuSample {
  std::string device;  // "/dev/nvidia0"
  std::int64_t busy_percent = 0;
  std::int64_t memory_mb = 0;
};

// The library while it is in use.
class Nvml {
 public:
  // Nothing: there is no library, or no driver that it could talk to.
  static std::unique_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::vector<FoundGpu> gpus() const;
  // Of those that can tell.
  std::vector<GpuSample> sample() const;

 private:
  struct Functions;
  Nvml(void* library, std::unique_ptr<Functions> functions);
  void* library_;
  std::unique_ptr<Functions> functions_;
};

// Nothing where there is no such library.
std::optional<std::vector<FoundGpu>> gpus_by_nvml();

// What names NVIDIA's cards: NVML, until main() says that this program can load no library.
struct GpuSource {
  const char* name;
  std::optional<std::vector<FoundGpu>> (*find)();
};
void use_gpu_source(GpuSource source);
const GpuSource& gpu_source();

}  // namespace sluice
