// JobDefaults of slurm.conf and of scontrol.
#include "text/job_defaults.h"

#include <fmt/format.h>

#include <limits>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::string_view kCpus = "DefCpuPerGPU=";
constexpr std::string_view kMemory = "DefMemPerGPU=";
constexpr std::int64_t kMostCpus = std::numeric_limits<std::int32_t>::max();

}  // namespace

WithGpu parse_job_defaults(std::string_view text) {
  WithGpu out;
  for (const std::string_view item : split(text, ',')) {
    if (item.starts_with(kCpus))
      if (const auto cpus = whole_number(item.substr(kCpus.size())); cpus && *cpus <= kMostCpus)
        out.cpus = static_cast<std::int32_t>(*cpus);
    if (item.starts_with(kMemory)) out.memory_mb = whole_number(item.substr(kMemory.size()));
  }
  return out;
}

std::string format_job_defaults(const WithGpu& with_gpu) {
  std::string out;
  if (with_gpu.cpus) out = fmt::format("{}{}", kCpus, *with_gpu.cpus);
  if (with_gpu.memory_mb)
    out += fmt::format("{}{}{}", out.empty() ? "" : ",", kMemory, *with_gpu.memory_mb);
  return out;
}

}  // namespace sluice
