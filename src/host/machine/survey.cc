// CPUs, memory and GPUs from the kernel's files; GPUs from the vendor's library where there is one.
#include "host/machine/survey.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "host/cages/cgroup_files.h"
#include "host/keeper/processes.h"
#include "host/machine/cpu_pool.h"
#include "host/machine/nvml.h"

namespace sluice {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  // "10" after "9".
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return names;
}

// The text after "Key:" or "key " on a line of its own.
std::string value_of(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key) && line.size() > key.size() &&
        (line[key.size()] == ':' || line[key.size()] == ' ')) {
      return trimmed(line.substr(key.size() + 1));
    }
    at = end + 1;
  }
  return {};
}

void survey_cpus(const std::string& root, Node& node) {
  const std::string folder = root + "/sys/devices/system/cpu";
  const std::vector<std::int32_t> cpus = cpus_in(read_kernel_file(folder + "/online"));
  if (cpus.empty()) return;
  std::set<std::string> sockets;
  std::size_t threads = 1;
  for (const std::int32_t cpu : cpus) {
    const std::string topology = fmt::format("{}/cpu{}/topology", folder, cpu);
    sockets.insert(trimmed(read_kernel_file(topology + "/physical_package_id")));
    threads =
        std::max(threads, cpus_in(read_kernel_file(topology + "/thread_siblings_list")).size());
  }
  node.cpus = static_cast<std::int32_t>(cpus.size());
  node.sockets = static_cast<std::int32_t>(std::max<std::size_t>(sockets.size(), 1));
  node.threads_per_core = static_cast<std::int32_t>(threads);
  // What does not divide evenly (some threads switched off) is told as plain CPUs.
  if (node.cpus % (node.sockets * node.threads_per_core) != 0) {
    node.sockets = 1;
    node.threads_per_core = 1;
  }
}

void survey_memory(const std::string& root, Node& node) {
  const std::string text = value_of(read_kernel_file(root + "/proc/meminfo"), "MemTotal");
  std::int64_t kb = 0;
  std::from_chars(text.data(), text.data() + text.size(), kb);
  node.memory_mb = std::max<std::int64_t>(kb / 1024, 1);
}

std::vector<FoundGpu> gpus_in_proc(const std::string& root) {
  std::vector<FoundGpu> found;
  const std::string folder = root + "/proc/driver/nvidia/gpus";
  for (const std::string& bus : names_in(folder)) {
    const std::string text = read_kernel_file(folder + "/" + bus + "/information");
    FoundGpu gpu;
    gpu.name = value_of(text, "Model");
    gpu.identity = value_of(text, "GPU UUID");
    const std::string minor = value_of(text, "Device Minor");
    if (gpu.name.empty() || minor.empty()) continue;
    // Until the driver has woken the card there are question marks in their place.
    if (gpu.identity.find('?') != std::string::npos) gpu.identity.clear();
    gpu.gpu.type = gpu_type(gpu.name);
    gpu.gpu.device = "/dev/nvidia" + minor;
    found.push_back(std::move(gpu));
  }
  return found;
}

std::vector<FoundGpu> gpus_of_rocm(const std::string& root) {
  std::vector<FoundGpu> found;
  const std::string folder = root + "/sys/class/kfd/kfd/topology/nodes";
  for (const std::string& node : names_in(folder)) {
    // CPUs are nodes too; their gpu_id is 0.
    const std::string id = trimmed(read_kernel_file(folder + "/" + node + "/gpu_id"));
    if (id.empty() || id == "0") continue;
    const std::string text = read_kernel_file(folder + "/" + node + "/properties");
    FoundGpu gpu;
    gpu.name = trimmed(read_kernel_file(folder + "/" + node + "/name"));
    gpu.gpu.type = gpu_type(gpu.name);
    gpu.gpu.device = "/dev/dri/renderD" + value_of(text, "drm_render_minor");
    std::uint64_t unique = 0;
    const std::string digits = value_of(text, "unique_id");
    std::from_chars(digits.data(), digits.data() + digits.size(), unique);
    if (unique != 0) gpu.identity = fmt::format("GPU-{:x}", unique);
    found.push_back(std::move(gpu));
  }
  return found;
}

void take_gpus(Survey& survey, std::vector<FoundGpu> found, const char* by) {
  if (found.empty()) return;
  if (found.size() > kMaxGpusPerNode) found.resize(kMaxGpusPerNode);
  survey.gpus_found_by = by;
  survey.gpus = std::move(found);
  for (const FoundGpu& gpu : survey.gpus) survey.node.gpus.push_back(gpu.gpu);
}

}  // namespace

std::map<std::string, std::string> Survey::gpu_identities() const {
  std::map<std::string, std::string> names;
  for (const FoundGpu& gpu : gpus) {
    if (!gpu.identity.empty()) names.emplace(gpu.gpu.device, gpu.identity);
  }
  return names;
}

std::string gpu_type(std::string_view name) {
  static const std::set<std::string, std::less<>> families{
      "nvidia", "tesla", "geforce", "quadro", "amd", "radeon", "instinct", "graphics", "device"};
  std::string type;
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty() && !families.contains(word)) {
      if (!type.empty()) type += '_';
      type += word;
    }
    word.clear();
  };
  for (const char c : name) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += c;
    } else if (c >= 'A' && c <= 'Z') {
      word += static_cast<char>(c - 'A' + 'a');
    } else {
      finish_word();
      // The first word with a number in it is the model; memory and connectors follow.
      if (type.find_first_of("0123456789") != std::string::npos) return type;
    }
  }
  finish_word();
  return type.empty() ? "gpu" : type;
}

Survey survey_files(const std::string& root) {
  Survey survey;
  survey.node.name = trimmed(read_kernel_file(root + "/proc/sys/kernel/hostname"));
  survey.node.name.resize(std::min(survey.node.name.find('.'), survey.node.name.size()));
  if (survey.node.name.empty()) survey.node.name = "localhost";
  survey_cpus(root, survey.node);
  survey_memory(root, survey.node);
  take_gpus(survey, gpus_in_proc(root), "/proc/driver/nvidia");
  if (survey.gpus.empty()) take_gpus(survey, gpus_of_rocm(root), "ROCm's sysfs");
  return survey;
}

Survey survey_machine() {
  Survey survey = survey_files("");
  // A container or a batch system may leave us fewer CPUs than the machine has.
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    const int count = CPU_COUNT(&allowed);
    if (count > 0 && count < survey.node.cpus) {
      survey.node.cpus = count;
      survey.node.sockets = 1;
      survey.node.threads_per_core = 1;
    }
  }
  if (survey.gpus_found_by != "ROCm's sysfs") {
    if (auto found = gpu_source().find()) {
      survey.gpus.clear();
      survey.node.gpus.clear();
      survey.gpus_found_by.clear();
      take_gpus(survey, std::move(*found), gpu_source().name);
    }
  }
  return survey;
}

}  // namespace sluice
