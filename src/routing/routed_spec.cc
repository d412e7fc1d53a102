// A request on each device: what the job says stays, what it leaves open the settings fill in.
#include "routing/routed_spec.h"

#include <algorithm>

#include "model/default_memory.h"

namespace sluice {
namespace {

// What a cluster counts for a request: with what it gives where the request says nothing.
TaskNeed counted(const Policy& policy, JobSpec request) {
  auto partition = policy.default_partition();
  if (!request.partitions.empty())
    if (const auto named = policy.find_partition(request.partitions.front())) partition = named;
  if (partition) {
    give_with_gpus(policy, *partition, request);
    if (!request.memory) request.memory = usual_memory(policy, *partition);
  }
  return need_of(request);
}

bool says_cpus(const JobSpec& spec) {
  return spec.cpus_per_task || spec.tasks || spec.tasks_per_node || spec.cpus_per_gpu;
}

void set_cpus(JobSpec& spec, std::int64_t cpus) {
  spec.tasks = 1;
  spec.tasks_per_node.reset();
  spec.cpus_per_gpu.reset();
  spec.cpus_per_task = static_cast<std::int32_t>(cpus);
}

}  // namespace

JobSpec spec_on(Device device, const JobSpec& spec, const RoutingSettings& settings) {
  const DeviceSettings& said = settings.device(device);
  JobSpec out = spec;
  const bool asks_gpus = !spec.gpus.empty();
  if (device == Device::kGpu && !asks_gpus)
    out.gpus.push_back(
        {GpusPer::kNode, said.gpu_type, static_cast<std::int32_t>(said.gpus.value_or(1))});
  if (device == Device::kGpu || !asks_gpus) {
    // What the job says stays; what it leaves open is filled in.
    if (!says_cpus(spec) && said.cpus) set_cpus(out, *said.cpus);
    if (!spec.memory && said.memory_mb)
      out.memory = MemoryRequest{MemoryPer::kNode, *said.memory_mb};
    if (out.partitions.empty()) out.partitions = said.partitions;
    if (!out.time_limit && !out.no_time_limit) out.time_limit = said.time_limit;
    return out;
  }
  // What it asks for is meant for a GPU; the settings know what the same task needs without one.
  if (said.cpus || spec.cpus_per_gpu) set_cpus(out, said.cpus.value_or(need_of(spec).cpus));
  if (said.memory_mb)
    out.memory = MemoryRequest{MemoryPer::kNode, *said.memory_mb};
  else if (spec.memory && spec.memory->per == MemoryPer::kGpu)
    out.memory = MemoryRequest{MemoryPer::kNode, need_of(spec).memory_mb};
  out.gpus.clear();
  out.partitions = said.partitions;
  if (spec.time_limit) out.time_limit = *spec.time_limit * settings.cpu_time_factor;
  if (said.time_limit) out.time_limit = said.time_limit;
  return out;
}

TaskNeeds needs_of(const JobSpec& spec, std::string_view wanted_device,
                   const RoutingSettings& settings, const Description& seen) {
  const bool wants_gpu = !spec.gpus.empty();
  // Without a word about it a job gets the device that it asks for.
  const std::string_view device = !wanted_device.empty() ? wanted_device
                                  : wants_gpu            ? "gpu"
                                                         : "cpu";
  const auto need_on = [&](Device on) {
    JobSpec request = spec_on(on, spec, settings);
    TaskNeed out = counted(*seen.policy, request);
    out.request = std::make_shared<const JobSpec>(std::move(request));
    return out;
  };
  TaskNeeds out;
  if (device != "cpu") out.gpu = need_on(Device::kGpu);
  if (device != "gpu") out.cpu = need_on(Device::kCpu);
  out.qos = spec.qos;
  return out;
}

JobSpec spec_for(const JobSpec& spec, const Pool& pool, const std::optional<IndexSet>& tasks,
                 std::size_t all_tasks) {
  JobSpec out = pool.need.request ? *pool.need.request : spec;
  out.account = pool.account;
  out.qos = pool.qos;
  out.partitions = pool.need.partitions;
  out.time_limit = pool.need.time_limit;
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
