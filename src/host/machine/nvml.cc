// The few functions of NVML that name a GPU. Their signatures are part of its stable interface.
#include "host/machine/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace sluice {
namespace {

using Device = void*;

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

GpuSource chosen = {"NVML", &gpus_by_nvml};

}  // namespace

void use_gpu_source(GpuSource source) { chosen = source; }
const GpuSource& gpu_source() { return chosen; }

std::optional<std::vector<FoundGpu>> gpus_by_nvml() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  const auto init = symbol<int (*)()>(library, "nvmlInit_v2");
  const auto shutdown = symbol<int (*)()>(library, "nvmlShutdown");
  const auto count_of = symbol<int (*)(unsigned*)>(library, "nvmlDeviceGetCount_v2");
  const auto device_at =
      symbol<int (*)(unsigned, Device*)>(library, "nvmlDeviceGetHandleByIndex_v2");
  const auto name_of = symbol<int (*)(Device, char*, unsigned)>(library, "nvmlDeviceGetName");
  const auto uuid_of = symbol<int (*)(Device, char*, unsigned)>(library, "nvmlDeviceGetUUID");
  const auto minor_of = symbol<int (*)(Device, unsigned*)>(library, "nvmlDeviceGetMinorNumber");
  std::optional<std::vector<FoundGpu>> found;
  const bool complete = init && shutdown && count_of && device_at && name_of && uuid_of && minor_of;
  if (complete && init() == 0) {
    unsigned count = 0;
    if (count_of(&count) == 0) {
      found.emplace();
      for (unsigned i = 0; i < count; ++i) {
        Device device = nullptr;
        char name[128] = {};
        char uuid[128] = {};
        unsigned minor = 0;
        if (device_at(i, &device) != 0 || name_of(device, name, sizeof name) != 0 ||
            uuid_of(device, uuid, sizeof uuid) != 0 || minor_of(device, &minor) != 0) {
          continue;
        }
        FoundGpu gpu;
        gpu.name = name;
        gpu.identity = uuid;
        gpu.gpu.type = gpu_type(name);
        gpu.gpu.device = fmt::format("/dev/nvidia{}", minor);
        found->push_back(std::move(gpu));
      }
    }
    shutdown();
  }
  ::dlclose(library);
  return found;
}

}  // namespace sluice
