// Arithmetic of requests: how many CPUs, megabytes and GPUs a job asks for in all.
#include "state/shape.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "model/billing.h"

namespace sluice {
namespace {

void read_memory(const JobSpec& spec, Shape& shape) {
  if (!spec.memory) return;
  switch (spec.memory->per) {
    case MemoryPer::kNode:
      shape.memory_per_node = spec.memory->mb;
      shape.whole_memory = spec.memory->mb == 0;
      break;
    case MemoryPer::kCpu:
      shape.memory_per_cpu = spec.memory->mb;
      break;
    case MemoryPer::kGpu:
      shape.memory_per_gpu = spec.memory->mb;
      break;
  }
}

std::int64_t total_gpus(const Shape& shape, const GpuNeed& need) {
  switch (need.per) {
    case GpusPer::kJob:
      return need.count;
    case GpusPer::kTask:
      return std::int64_t{need.count} * shape.tasks;
    case GpusPer::kNode:
    case GpusPer::kSocket:
      return std::int64_t{need.count} * shape.min_nodes;
  }
  return 0;
}

// --cpus-per-gpu: the GPUs of each task bring CPUs for it, those of a node for the tasks there, and
// those of the whole job for all tasks.
void read_cpus_with_gpus(const JobSpec& spec, Shape& shape) {
  if (!spec.cpus_per_gpu) return;
  std::int64_t of_job = 0;
  std::int64_t on_node = 0;
  std::int64_t of_task = 0;
  for (const GpuNeed& need : shape.gpus)
    (need.per == GpusPer::kJob    ? of_job
     : need.per == GpusPer::kTask ? of_task
                                  : on_node) += need.count;
  const auto divided_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto cpus_of = [&](std::int64_t gpus) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(gpus * *spec.cpus_per_gpu, kMost));
  };
  shape.cpus_per_task = std::max(shape.cpus_per_task, cpus_of(of_task));
  if (shape.tasks_per_node > 0) {
    const std::int64_t nodes =
        std::max<std::int64_t>(shape.min_nodes, divided_up(shape.tasks, shape.tasks_per_node));
    on_node += divided_up(of_job, nodes);
  } else if (of_job > 0) {
    shape.cpus_with_each_gpu = *spec.cpus_per_gpu;
    shape.tasks = std::max(shape.tasks, static_cast<std::int32_t>(divided_up(
                                            cpus_of(of_job), std::max(1, shape.cpus_per_task))));
  }
  shape.cpus_with_gpus = cpus_of(on_node);
}

// The memory of the first node of the job's first partition: what --mem=0 is counted as.
std::int64_t first_memory(const Policy& policy, const Shape& shape) {
  if (shape.partitions.empty()) return 0;
  const auto& nodes = policy.partitions[shape.partitions.front().index()].nodes;
  const auto first = std::min_element(nodes.begin(), nodes.end());
  return first == nodes.end() ? 0 : policy.nodes[first->index()].memory_mb;
}

// Nodes that a constraint with counts asks for, all in all.
std::int32_t counted_nodes(const Constraint& constraint) {
  std::int32_t sum = 0;
  for (const CountedFeature& one : constraint.counted) sum += one.nodes;
  return sum;
}

std::int32_t different(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return static_cast<std::int32_t>(std::unique(names.begin(), names.end()) - names.begin());
}

void count_asked(const Policy& policy, Shape& shape) {
  TresVector& asked = shape.asked;
  asked[kTresCpu] =
      std::max<std::int64_t>(std::int64_t{shape.tasks} * shape.cpus_per_task, shape.min_nodes);
  if (shape.tasks_per_node > 0)
    asked[kTresCpu] = std::max(asked[kTresCpu], std::int64_t{shape.tasks_per_node} *
                                                    shape.cpus_per_task * shape.min_nodes);
  if (shape.gpus.empty())
    asked[kTresCpu] = std::max(
        asked[kTresCpu], std::int64_t{shape.least_cpus_on_node} * std::int64_t{shape.min_nodes});
  asked[kTresCpu] =
      std::max(asked[kTresCpu], std::int64_t{shape.cpus_with_gpus} * std::int64_t{shape.min_nodes});
  asked[kTresNode] = shape.min_nodes;
  std::int64_t gpus = 0;
  for (const GpuNeed& need : shape.gpus) {
    const std::int64_t count = total_gpus(shape, need);
    gpus += count;
    if (need.tres != kTresGpu) asked[need.tres] += count;
  }
  asked[kTresGpu] = gpus;
  if (policy.jobs.memory_is_consumable) {
    if (shape.whole_memory)
      asked[kTresMem] = first_memory(policy, shape) * shape.min_nodes;
    else
      asked[kTresMem] = shape.memory_per_node * shape.min_nodes +
                        shape.memory_per_cpu * asked[kTresCpu] + shape.memory_per_gpu * gpus;
  }
  for (const LicenseRequest& license : shape.request->licenses)
    if (auto tres = policy.tres.find("license/" + license.name)) asked[*tres] += license.count;
  if (!shape.partitions.empty())
    asked[kTresBilling] = billing_of(policy, shape.partitions.front(), asked);
}

}  // namespace

Shape shape_of(const Policy& policy, std::shared_ptr<const JobSpec> request, UserId user) {
  return shape_of(policy, PolicyNames(policy), std::move(request), user);
}

Shape shape_of(const Policy& policy, const PolicyNames& names,
               std::shared_ptr<const JobSpec> request, UserId user) {
  const JobSpec& spec = *request;
  Shape shape;
  shape.user = user;
  shape.assoc = names.association(spec.account, spec.user,
                                  spec.partitions.size() == 1 ? spec.partitions.front() : "");
  if (!spec.qos.empty()) shape.qos = policy.find_qos(spec.qos);
  for (const std::string& name : spec.partitions)
    if (auto partition = policy.find_partition(name)) shape.partitions.push_back(*partition);
  shape.limit = std::min(spec.time_limit.value_or(kForever), kForever);
  shape.cpus_per_task = spec.cpus_per_task.value_or(1);
  shape.tasks_per_node = spec.tasks_per_node.value_or(0);
  shape.min_nodes = std::max({1, spec.min_nodes.value_or(1), different(spec.require_nodes),
                              counted_nodes(spec.constraint)});
  shape.max_nodes = spec.max_nodes.value_or(std::numeric_limits<std::int32_t>::max());
  shape.tasks = spec.tasks.value_or(shape.min_nodes * std::max(1, spec.tasks_per_node.value_or(1)));
  shape.least_tasks_on_node =
      std::max({1, shape.tasks_per_node, spec.tasks_per_socket.value_or(1)});
  if (spec.overcommit) {
    shape.tasks = shape.min_nodes;  // All tasks of a node share the CPUs of one.
    shape.tasks_per_node = 0;
    shape.least_tasks_on_node = 1;
  }
  shape.least_cpus_on_node = spec.min_cpus_per_node.value_or(0);
  shape.threads_used = spec.threads_per_core.value_or(0);
  shape.tasks_per_core = spec.tasks_per_core.value_or(0);
  // Once it has waited long enough, any number will do (Engine::give_up_switches).
  if (!policy.switches.empty() && spec.switch_wait != Duration(0))
    shape.most_switches = spec.max_switches.value_or(0);
  shape.chooses_nodes = spec.contiguous || spec.spread || spec.use_min_nodes || spec.overcommit ||
                        !spec.constraint.counted.empty() || shape.least_cpus_on_node > 0 ||
                        shape.threads_used > 0 || shape.tasks_per_core > 0 ||
                        shape.most_switches > 0 || spec.tasks_per_socket || spec.min_sockets ||
                        spec.min_cores_per_socket;
  shape.exclusive = spec.sharing == NodeSharing::kExclusive;
  shape.oversubscribe = spec.sharing == NodeSharing::kOversubscribe;
  if (!shape.partitions.empty() &&
      policy.partitions[shape.partitions.front().index()].oversubscribe ==
          OverSubscribe::kExclusive)
    shape.exclusive = true;
  shape.by_user = !shape.exclusive && spec.sharing == NodeSharing::kUser;
  CpuUnit unit = policy.scheduler.cpu_unit;
  if (!shape.partitions.empty()) {
    const Partition& first = policy.partitions[shape.partitions.front().index()];
    shape.by_user = shape.by_user || (first.exclusive_user && !shape.exclusive);
    unit = first.cpu_unit.value_or(unit);
  }
  shape.whole_sockets = unit == CpuUnit::kSocket;
  read_memory(spec, shape);
  // GPUs of the whole job and of each node or task are one demand, not two: --gpus=4
  // --gpus-per-node=2 are four.
  const bool in_parts = std::any_of(spec.gpus.begin(), spec.gpus.end(), [](const GpuRequest& gpu) {
    return gpu.count > 0 && gpu.per != GpusPer::kJob;
  });
  for (const GpuRequest& gpu : spec.gpus) {
    if (gpu.count <= 0 || (in_parts && gpu.per == GpusPer::kJob)) continue;
    const auto tres =
        gpu.type.empty() ? kTresGpu : policy.tres.find("gres/gpu:" + gpu.type).value_or(kTresGpu);
    shape.gpus.push_back(GpuNeed{gpu.per, gpu.count, gpu.type, tres});
  }
  read_cpus_with_gpus(spec, shape);
  shape.chooses_nodes = shape.chooses_nodes || shape.cpus_with_gpus > 0;
  shape.limit_by_operator = spec.limit_by_operator;
  shape.prefers = !spec.prefer.any_of.empty();
  shape.only_cpus = shape.gpus.empty() && !shape.exclusive && !shape.by_user &&
                    !shape.whole_sockets && !shape.chooses_nodes && !shape.prefers &&
                    spec.constraint.any_of.empty() && spec.require_nodes.empty() &&
                    spec.exclude_nodes.empty() && spec.licenses.empty() &&
                    shape.memory_per_node == 0 && shape.memory_per_cpu == 0 &&
                    !shape.whole_memory && shape.tasks_per_node == 0;
  shape.names_nodes = !spec.require_nodes.empty();
  shape.in_reservation = !spec.reservation.empty();
  shape.has_licenses = !spec.licenses.empty();
  shape.has_priority = spec.priority.has_value();
  shape.wants_signal = spec.launch.signal.has_value();
  shape.waits_for_more = spec.array || spec.hold || spec.begin || !spec.dependencies.terms.empty();
  shape.counted = shape.assoc || shape.qos;
  for (PartitionId partition : shape.partitions)
    shape.counted = shape.counted || policy.partitions[partition.index()].qos;
  shape.request = std::move(request);
  count_asked(policy, shape);
  return shape;
}

TresVector tres_of(const Policy& policy, const Shape& shape, PartitionId partition,
                   const Allocation& allocation) {
  TresVector tres;
  count_tres(policy, shape, partition, allocation, tres);
  return tres;
}

void count_tres(const Policy& policy, const Shape& shape, PartitionId partition,
                const Allocation& allocation, TresVector& tres) {
  tres.clear_from(0);
  const auto shares = allocation.shares();
  std::int64_t cpus = 0;
  std::int64_t memory = 0;
  for (const NodeShare& share : shares) {
    cpus += share.cpus;
    memory += share.memory_mb;
    if (share.gpus == 0) continue;
    tres[kTresGpu] += std::popcount(share.gpus);
    const std::vector<Gpu>& gpus = policy.nodes[share.node.index()].gpus;
    for (std::uint64_t left = share.gpus; left != 0; left &= left - 1) {
      const std::string& type = gpus[static_cast<std::size_t>(std::countr_zero(left))].type;
      if (type.empty()) continue;
      if (auto typed = policy.tres.find("gres/gpu:" + type)) tres[*typed] += 1;
    }
  }
  tres[kTresCpu] = cpus;
  tres[kTresMem] = memory;
  tres[kTresNode] = std::ssize(shares);
  if (shape.has_licenses)
    for (const LicenseRequest& license : shape.request->licenses)
      if (auto index = policy.tres.find("license/" + license.name)) tres[*index] += license.count;
  tres[kTresBilling] = billing_of(policy, partition, tres);
}

}  // namespace sluice
