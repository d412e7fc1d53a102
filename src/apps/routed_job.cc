// Own options may stand among sbatch's, up to the script.
#include "apps/routed_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/routing_context.h"
#include "cli/job_request.h"
#include "text/duration.h"
#include "text/sbatch_option_table.h"
#include "text/sbatch_options.h"

namespace sluice {
namespace {

Result<Duration> time_of(std::string_view option, const std::string& text) {
  const auto read = parse_friendly_duration(text);
  if (!read || !read->duration)
    return bad_input(fmt::format("{}: '{}' is no time", option, text), "write 22m, 1h30m or 90");
  return *read->duration;
}

// "gpu=22m,cpu=282m"
Result<void> read_runtimes(const std::string& text, RouteOptions& out) {
  for (const std::string& part : listed_names({text})) {
    const std::size_t equals = part.find('=');
    const std::string device = part.substr(0, equals);
    if (equals == std::string::npos || (device != "gpu" && device != "cpu"))
      return bad_input(fmt::format("--runtime: cannot read '{}'", part),
                       "write --runtime gpu=22m,cpu=282m");
    TRY(const Duration time, time_of("--runtime", part.substr(equals + 1)));
    if (time <= Duration(0)) return bad_input("--runtime: a task takes some time");
    (device == "gpu" ? out.gpu_runtime : out.cpu_runtime) = time;
  }
  return {};
}

}  // namespace

Result<RouteOptions> read_route_options(std::span<const std::string> arguments) {
  RouteOptions out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--" || !word.starts_with('-') || word == "-") {
      out.rest.insert(out.rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      arguments.end());
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    const auto need = [&]() -> Result<std::string> {
      if (value) return *value;
      if (i + 1 >= arguments.size()) return bad_input(fmt::format("{} needs a value", name));
      return arguments[++i];
    };
    if (name == "--device") {
      TRY(out.device, need());
      if (out.device != "gpu" && out.device != "cpu" && out.device != "any")
        return bad_input(fmt::format("--device: no '{}'", out.device), "write gpu, cpu or any");
    } else if (name == "--account" || name == "-A") {
      TRY(const std::string list, need());
      out.accounts = listed_names({list});
    } else if (name == "--runtime") {
      TRY(const std::string text, need());
      TRY_VOID(read_runtimes(text, out));
    } else if (name == "--dry-run") {
      out.dry_run = true;
    } else if (name == "--keep-back") {
      out.keep_back = true;
    } else if (name == "--json") {
      out.json = true;
    } else if (name == "--wait-for-capacity") {
      out.wait = true;
      if (value) {
        TRY(out.wait_limit, time_of(name, *value));
      }
    } else if (name == "--on") {
      TRY(out.engine, need());
    } else if (name == "--capture") {
      out.capture = true;
    } else if (name == "--help" || name == "-h") {
      out.help = true;
    } else {
      out.rest.push_back(word);
      if (takes_next(word) && i + 1 < arguments.size()) out.rest.push_back(arguments[++i]);
    }
  }
  return out;
}

std::optional<std::string> named_engine(std::span<const std::string> words, bool submission) {
  constexpr std::string_view kOption = "--on=";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    if (words[i].starts_with(kOption)) return words[i].substr(kOption.size());
    if (words[i] == "--on" && i + 1 < words.size()) return words[i + 1];
    if (!submission) continue;
    if (!words[i].starts_with('-')) break;  // The script.
    if (takes_next(words[i]) || words[i] == "--device" || words[i] == "--runtime") ++i;
  }
  return std::nullopt;
}

bool asks_for_routing(std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || !word.starts_with('-')) return false;
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (name == "--device" || name == "--runtime" || name == "--keep-back" ||
        name == "--wait-for-capacity")
      return true;
    std::string value;
    if (equals != std::string::npos)
      value = word.substr(equals + 1);
    else if (takes_next(word) && i + 1 < words.size())
      value = words[++i];
    if ((name == "--account" || name == "-A") && value.find(',') != std::string::npos) return true;
    if (name.starts_with("-A") && name.find(',') != std::string::npos) return true;
  }
  return false;
}

Result<JobHere> read_job_here(std::span<const std::string> arguments) {
  TRY(const SbatchCommandLine line, read_sbatch_arguments(arguments));
  if (!line.wrap && line.script.empty() && ::isatty(STDIN_FILENO) != 0)
    return bad_input("names no script", "type: sluice route [options] SCRIPT [ARGS...]");
  TRY(SbatchRequest request, request_of(line));
  add_surroundings(request);
  JobHere out;
  out.spec = std::move(request.spec);
  out.parsable = request.parsable;
  out.wait = request.wait;
  out.test_only = request.test_only;
  out.warnings = std::move(request.warnings);
  if (out.spec.name.empty())
    out.spec.name =
        line.wrap ? "wrap"
                  : (line.script.empty() ? "sbatch"
                                         : std::filesystem::path(line.script).filename().string());
  return out;
}

TaskNeeds needs_of(const JobSpec& spec, const RouteOptions& options,
                   const RoutingSettings& settings, const Description& seen) {
  const Policy& policy = *seen.policy;
  auto partition = policy.default_partition();
  if (!spec.partitions.empty())
    if (const auto named = policy.find_partition(spec.partitions.front())) partition = named;
  std::optional<std::int64_t> per_cpu = policy.jobs.default_mem_per_cpu_mb;
  std::optional<std::int64_t> per_node = policy.jobs.default_mem_per_node_mb;
  if (partition) {
    const Partition& p = policy.partitions[partition->index()];
    if (p.default_mem_per_cpu_mb || p.default_mem_per_node_mb) {
      per_cpu = p.default_mem_per_cpu_mb;
      per_node = p.default_mem_per_node_mb;
    }
  }
  TaskNeed job = need_of(spec, per_cpu, per_node);
  const bool wants_gpu = job.gpus > 0;
  const DeviceSettings& own = settings.device(wants_gpu ? Device::kGpu : Device::kCpu);
  if (!spec.memory && !per_cpu && !per_node && own.memory_mb) job.memory_mb = *own.memory_mb;
  if (job.partitions.empty()) job.partitions = own.partitions;
  // Without a word about it: the device the job asks for, and the other where the settings know
  // what a task needs there.
  std::string device = options.device;
  if (device.empty()) {
    const DeviceSettings& other = settings.device(wants_gpu ? Device::kCpu : Device::kGpu);
    const bool known = wants_gpu ? other.cpus || other.memory_mb : other.gpus.value_or(0) > 0;
    device = known ? "any" : wants_gpu ? "gpu" : "cpu";
  }
  TaskNeeds out;
  if (device != "cpu") out.gpu = need_on(Device::kGpu, settings, job);
  if (device != "gpu") out.cpu = need_on(Device::kCpu, settings, job);
  out.qos = spec.qos;
  return out;
}

JobSpec spec_for(const JobSpec& spec, const Pool& pool, const std::optional<IndexSet>& tasks,
                 std::size_t all_tasks) {
  JobSpec out = spec;
  out.account = pool.account;
  out.qos = pool.qos;
  out.partitions = pool.need.partitions;
  out.time_limit = pool.need.time_limit;
  const bool own_device = spec.gpus.empty() == (pool.device == Device::kCpu);
  if (!own_device) {
    out.gpus.clear();
    if (pool.need.gpus > 0)
      out.gpus.push_back({GpusPer::kNode, pool.need.gpu_type,
                          static_cast<std::int32_t>(pool.need.gpus / pool.need.nodes)});
    out.tasks = 1;
    out.tasks_per_node.reset();
    out.cpus_per_gpu.reset();
    out.cpus_per_task = static_cast<std::int32_t>(pool.need.cpus);
  }
  if (!own_device || !out.memory)
    if (pool.need.memory_mb > 0)
      out.memory = MemoryRequest{MemoryPer::kNode, pool.need.memory_mb / pool.need.nodes};
  if (tasks) {
    ArraySpec array{*tasks, {}};
    // A throttle is for all tasks together: each part gets its share.
    if (spec.array && spec.array->throttle && all_tasks > 0)
      array.throttle = static_cast<std::uint32_t>(
          std::max<std::size_t>(1, *spec.array->throttle * tasks->size() / all_tasks));
    out.array = std::move(array);
  }
  const auto set = [&](const std::string& name, std::string value) {
    std::erase_if(out.launch.environment, [&](const auto& one) { return one.name == name; });
    out.launch.environment.push_back({name, std::move(value)});
  };
  set("SLUICE_DEVICE", std::string(device_name(pool.device)));
  set("SLUICE_ACCOUNT", pool.account);
  return out;
}

}  // namespace sluice
