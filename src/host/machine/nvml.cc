// The few functions of NVML that name a GPU and say what it does. Their signatures are part of its
// stable interface.
#include "host/machine/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

namespace sluice {
namespace {

using Device = void*;

struct Utilization {
  unsigned gpu = 0;  // Percent of the last second in which a kernel ran.
  unsigned memory = 0;
};
struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;  // With what the driver keeps for itself.
};
// Since driver 510; without what the driver keeps, as nvidia-smi counts.
struct Memory2 {
  unsigned version = sizeof(Memory2) | 2U << 24U;
  unsigned long long total = 0;
  unsigned long long reserved = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

template <class Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
}

GpuSource chosen = {"NVML", &gpus_by_nvml};

}  // namespace

struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count_of)(unsigned*) = nullptr;
  int (*device_at)(unsigned, Device*) = nullptr;
  int (*name_of)(Device, char*, unsigned) = nullptr;
  int (*uuid_of)(Device, char*, unsigned) = nullptr;
  int (*minor_of)(Device, unsigned*) = nullptr;
  // Older libraries may lack these.
  int (*utilization_of)(Device, Utilization*) = nullptr;
  int (*memory_of)(Device, Memory*) = nullptr;
  int (*memory2_of)(Device, Memory2*) = nullptr;

  std::optional<unsigned long long> bytes_in_use(Device device) const {
    Memory2 newer;
    if (memory2_of && memory2_of(device, &newer) == 0) return newer.used;
    Memory memory;
    if (memory_of && memory_of(device, &memory) == 0) return memory.used;
    return std::nullopt;
  }

  // Calls `each(device, its file)` for all devices that can be named.
  template <class Each>
  void for_each_device(const Each& each) const {
    unsigned count = 0;
    if (count_of(&count) != 0) return;
    for (unsigned i = 0; i < count; ++i) {
      Device device = nullptr;
      unsigned minor = 0;
      if (device_at(i, &device) != 0 || minor_of(device, &minor) != 0) continue;
      each(device, fmt::format("/dev/nvidia{}", minor));
    }
  }
};

Nvml::Nvml(void* library, std::unique_ptr<Functions> functions)
    : library_(library), functions_(std::move(functions)) {}

Nvml::~Nvml() {
  functions_->shutdown();
  ::dlclose(library_);
}

std::unique_ptr<Nvml> Nvml::open() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto f = std::make_unique<Functions>();
  find(library, "nvmlInit_v2", f->init);
  find(library, "nvmlShutdown", f->shutdown);
  find(library, "nvmlDeviceGetCount_v2", f->count_of);
  find(library, "nvmlDeviceGetHandleByIndex_v2", f->device_at);
  find(library, "nvmlDeviceGetName", f->name_of);
  find(library, "nvmlDeviceGetUUID", f->uuid_of);
  find(library, "nvmlDeviceGetMinorNumber", f->minor_of);
  find(library, "nvmlDeviceGetUtilizationRates", f->utilization_of);
  find(library, "nvmlDeviceGetMemoryInfo", f->memory_of);
  find(library, "nvmlDeviceGetMemoryInfo_v2", f->memory2_of);
  const bool complete = f->init && f->shutdown && f->count_of && f->device_at && f->name_of &&
                        f->uuid_of && f->minor_of;
  if (!complete || f->init() != 0) {
    ::dlclose(library);
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(library, std::move(f)));
}

std::vector<FoundGpu> Nvml::gpus() const {
  std::vector<FoundGpu> out;
  functions_->for_each_device([&](Device device, std::string file) {
    char name[128] = {};
    char uuid[128] = {};
    if (functions_->name_of(device, name, sizeof name) != 0 ||
        functions_->uuid_of(device, uuid, sizeof uuid) != 0)
      return;
    FoundGpu gpu;
    gpu.name = name;
    gpu.identity = uuid;
    gpu.gpu.type = gpu_type(name);
    gpu.gpu.device = std::move(file);
    out.push_back(std::move(gpu));
  });
  return out;
}

std::vector<GpuSample> Nvml::sample() const {
  std::vector<GpuSample> out;
  if (!functions_->utilization_of) return out;
  functions_->for_each_device([&](Device device, std::string file) {
    Utilization used;
    const auto bytes = functions_->bytes_in_use(device);
    if (functions_->utilization_of(device, &used) != 0 || !bytes) return;
    constexpr unsigned long long kMegabyte = 1 << 20;
    out.push_back(
        {std::move(file), std::int64_t{used.gpu}, static_cast<std::int64_t>(*bytes / kMegabyte)});
  });
  return out;
}

void use_gpu_source(GpuSource source) { chosen = source; }
const GpuSource& gpu_source() { return chosen; }

std::optional<std::vector<FoundGpu>> gpus_by_nvml() {
  const auto nvml = Nvml::open();
  if (!nvml) return std::nullopt;
  return nvml->gpus();
}

}  // namespace sluice
