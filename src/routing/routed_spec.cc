#include "routing/routed_spec.h"

#include <algorithm>

namespace sluice {

TaskNeeds needs_of(const JobSpec& spec, std::string_view wanted_device,
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
  std::string_view device = wanted_device;
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
