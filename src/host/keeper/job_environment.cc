// Which variables, from what; checked against tests/recordings/environment.
#include "host/keeper/job_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>

#include "text/counts_per_node.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

class Block {
 public:
  void add(std::string_view name, std::string_view value) {
    // A NUL inside a value would begin another variable.
    text_.append(name).append("=").append(value.substr(0, value.find('\0')));
    text_ += '\0';
  }
  void add(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
  std::string take() { return std::move(text_); }
  void reserve(std::size_t size) { text_.reserve(size); }

 private:
  std::string text_;
};

// Of the caller's SLURM_* only these are the job's business.
constexpr std::array kKept{
    std::string_view("SLURM_SUBMIT_DIR"),    std::string_view("SLURM_SUBMIT_HOST"),
    std::string_view("SLURM_CONF"),          std::string_view("SLURM_PRIO_PROCESS"),
    std::string_view("SLURM_EXPORT_ENV"),    std::string_view("SLURM_DISTRIBUTION"),
    std::string_view("SLURM_GPUS_PER_NODE"), std::string_view("SLURM_WORKING_CLUSTER")};
// Set below or by the keeper, or about devices that the caller had and the job may not have.
constexpr std::array kReplaced{
    std::string_view("ENVIRONMENT"),          std::string_view("HOSTNAME"),
    std::string_view("CUDA_VISIBLE_DEVICES"), std::string_view("ROCR_VISIBLE_DEVICES"),
    std::string_view("GPU_DEVICE_ORDINAL"),   std::string_view("ZE_AFFINITY_MASK"),
    std::string_view("HIP_VISIBLE_DEVICES"),  std::string_view("SLUICE_RUN"),
    std::string_view("SLUICE_KEEPER"),        std::string_view("SLUICE_JOB_ID"),
    std::string_view("SLUICE_ATTEMPT"),       std::string_view("SLUICE_ARRAY_JOB_ID"),
    std::string_view("SLUICE_ARRAY_TASK_ID"), std::string_view("SLUICE_SUBMIT_LINE"),
    std::string_view("SLUICE_SOCKET"),        std::string_view("SLUICE_STEP_SOCKET")};

bool is_passed_on(std::string_view name) {
  if (name.starts_with("SLURM_")) return std::find(kKept.begin(), kKept.end(), name) != kKept.end();
  if (name.starts_with("SLURMD_")) return false;
  return !name.empty() && name.find('=') == std::string_view::npos &&
         std::find(kReplaced.begin(), kReplaced.end(), name) == kReplaced.end();
}

std::string with_shims(const RunFacts& facts, const std::string& path) {
  if (facts.shims.empty() || path.starts_with(std::string(facts.shims) + ":")) return path;
  return fmt::format("{}:{}", facts.shims, path);
}

void add_callers(Block& block, const RunFacts& facts, const Identity& identity) {
  bool path = false;
  bool home = false;
  bool user = false;
  bool logname = false;
  bool shell = false;
  bool temporary = false;
  for (const EnvironmentVariable& variable : facts.request.launch.environment) {
    if (!is_passed_on(variable.name)) continue;
    block.add(variable.name,
              variable.name == "PATH" ? with_shims(facts, variable.value) : variable.value);
    path = path || variable.name == "PATH";
    home = home || variable.name == "HOME";
    user = user || variable.name == "USER";
    logname = logname || variable.name == "LOGNAME";
    shell = shell || variable.name == "SHELL";
    temporary = temporary || variable.name == "TMPDIR";
  }
  if (!path) {
    block.add("PATH",
              with_shims(facts, identity.uid == 0
                                    ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
                                    : "/usr/local/bin:/usr/bin:/bin"));
  }
  if (!home) block.add("HOME", identity.home);
  if (!user) block.add("USER", identity.user);
  if (!logname) block.add("LOGNAME", identity.user);
  if (!shell) block.add("SHELL", identity.shell);
  if (!temporary) block.add("TMPDIR", "/tmp");
}

void add_memory(Block& block, const RunFacts& facts) {
  const Policy& policy = facts.policy;
  if (const auto& asked = facts.request.memory) {
    const std::string_view name = asked->per == MemoryPer::kCpu   ? "SLURM_MEM_PER_CPU"
                                  : asked->per == MemoryPer::kGpu ? "SLURM_MEM_PER_GPU"
                                                                  : "SLURM_MEM_PER_NODE";
    // --mem=0 is all that the node has.
    const std::int64_t all = policy.nodes[facts.allocation.shares()[0].node.index()].memory_mb;
    block.add(name, asked->mb > 0 ? asked->mb : all);
    return;
  }
  const Partition& partition = policy.partitions[facts.partition.index()];
  const auto per_cpu = partition.default_mem_per_cpu_mb ? partition.default_mem_per_cpu_mb
                                                        : policy.jobs.default_mem_per_cpu_mb;
  const auto per_node = partition.default_mem_per_node_mb ? partition.default_mem_per_node_mb
                                                          : policy.jobs.default_mem_per_node_mb;
  if (per_cpu && !partition.default_mem_per_node_mb) {
    block.add("SLURM_MEM_PER_CPU", *per_cpu);
  } else if (per_node) {
    block.add("SLURM_MEM_PER_NODE", *per_node);
  }
}

std::string gpu_list(std::span<const GpuRequest> gpus, GpusPer per) {
  std::string out;
  for (const GpuRequest& gpu : gpus) {
    if (gpu.per != per) continue;
    if (!out.empty()) out += ',';
    if (!gpu.type.empty()) out += gpu.type + ":";
    out += std::to_string(gpu.count);
  }
  return out;
}

void add_gpus(Block& block, const RunFacts& facts) {
  const NodeShare& share = facts.allocation.shares()[0];
  const Node& node = facts.policy.nodes[share.node.index()];
  const std::span<const GpuRequest> asked(facts.request.gpus);
  if (const std::string total = gpu_list(asked, GpusPer::kJob); !total.empty()) {
    block.add("SLURM_GPUS", total);
  }
  if (const std::string each = gpu_list(asked, GpusPer::kTask); !each.empty()) {
    block.add("SLURM_GPUS_PER_TASK", each);
  }
  if (const std::string each = gpu_list(asked, GpusPer::kSocket); !each.empty()) {
    block.add("SLURM_GPUS_PER_SOCKET", each);
  }
  if (facts.request.cpus_per_gpu) block.add("SLURM_CPUS_PER_GPU", *facts.request.cpus_per_gpu);
  std::string numbers;
  std::string names;
  std::int32_t count = 0;
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    if ((share.gpus >> i & 1U) == 0) continue;
    const std::string comma = count++ > 0 ? "," : "";
    numbers += comma + std::to_string(i);
    // By identity: numbers change their meaning with the order in which a library looks.
    std::string name = std::to_string(i);
    if (facts.gpu_identities) {
      const auto known = facts.gpu_identities->find(node.gpus[i].device);
      if (known != facts.gpu_identities->end()) name = known->second;
    }
    names += comma + name;
  }
  if (count > 0) {
    block.add("SLURM_JOB_GPUS", numbers);
    block.add("SLURM_GPUS_ON_NODE", count);
    block.add("CUDA_VISIBLE_DEVICES", names);
    block.add("ROCR_VISIBLE_DEVICES", names);
    block.add("GPU_DEVICE_ORDINAL", numbers);
    block.add("ZE_AFFINITY_MASK", numbers);
  } else if (facts.gpu_identities && !facts.gpu_identities->empty()) {
    // There are GPUs and none of them is this job's.
    block.add("CUDA_VISIBLE_DEVICES", "NoDevFiles");
    block.add("ROCR_VISIBLE_DEVICES", "NoDevFiles");
  }
}

}  // namespace

std::string job_environment(const RunFacts& facts, const Identity& identity) {
  const JobSpec& request = facts.request;
  const std::int32_t per_task = std::max(request.cpus_per_task.value_or(1), 1);
  std::vector<std::string> names;
  std::vector<std::int32_t> cpus;
  std::vector<std::int32_t> tasks;
  for (const NodeShare& share : facts.allocation.shares()) {
    names.push_back(facts.policy.nodes[share.node.index()].name);
    cpus.push_back(share.cpus);
    tasks.push_back(std::max(share.cpus / per_task, 1));
  }
  const std::string nodes = compress_hostlist(names);
  const std::string job = std::to_string(facts.run.job.value());
  const auto count = static_cast<std::int64_t>(names.size());

  Block block;
  block.reserve(4096);
  add_callers(block, facts, identity);
  block.add("ENVIRONMENT", "BATCH");
  block.add("HOSTNAME", names.front());
  block.add("SLURMD_NODENAME", names.front());
  if (facts.array) {
    block.add("SLURM_ARRAY_JOB_ID", facts.array->id.value());
    block.add("SLURM_ARRAY_TASK_COUNT", facts.array->count);
    block.add("SLURM_ARRAY_TASK_ID", facts.array->task);
    block.add("SLURM_ARRAY_TASK_MAX", facts.array->most);
    block.add("SLURM_ARRAY_TASK_MIN", facts.array->least);
    block.add("SLURM_ARRAY_TASK_STEP", facts.array->step);
    block.add("SLUICE_ARRAY_JOB_ID", facts.array->id.value());
    block.add("SLUICE_ARRAY_TASK_ID", facts.array->task);
  }
  block.add("SLURM_CLUSTER_NAME", facts.policy.cluster);
  block.add("SLURM_CPUS_ON_NODE", cpus.front());
  if (request.cpus_per_task) block.add("SLURM_CPUS_PER_TASK", *request.cpus_per_task);
  block.add("SLURM_GTIDS", "0");
  block.add("SLURM_JOBID", job);
  block.add("SLURM_JOB_ACCOUNT", facts.account);
  block.add("SLURM_JOB_CPUS_PER_NODE", counts_per_node(cpus));
  block.add("SLURM_JOB_GID", identity.gid);
  block.add("SLURM_JOB_ID", job);
  block.add("SLURM_JOB_NAME", request.name);
  block.add("SLURM_JOB_NODELIST", nodes);
  block.add("SLURM_JOB_NUM_NODES", count);
  block.add("SLURM_JOB_PARTITION", facts.policy.partitions[facts.partition.index()].name);
  block.add("SLURM_JOB_QOS", facts.qos);
  block.add("SLURM_JOB_UID", identity.uid);
  block.add("SLURM_JOB_USER", identity.user);
  block.add("SLURM_LOCALID", "0");
  add_memory(block, facts);
  block.add("SLURM_NNODES", count);
  block.add("SLURM_NODEID", "0");
  block.add("SLURM_NODELIST", nodes);
  block.add("SLURM_NODE_ALIASES", "(null)");
  if (request.tasks || request.tasks_per_node) {
    const std::int32_t all =
        request.tasks.value_or(request.min_nodes.value_or(1) * request.tasks_per_node.value_or(1));
    block.add("SLURM_NPROCS", all);
    block.add("SLURM_NTASKS", all);
  }
  if (request.tasks_per_node) block.add("SLURM_NTASKS_PER_NODE", *request.tasks_per_node);
  block.add("SLURM_PROCID", "0");
  if (facts.restarts > 0) block.add("SLURM_RESTART_COUNT", facts.restarts);
  block.add("SLURM_TASKS_PER_NODE", counts_per_node(tasks));
  block.add("SLURM_TOPOLOGY_ADDR", names.front());
  block.add("SLURM_TOPOLOGY_ADDR_PATTERN", "node");
  add_gpus(block, facts);
  block.add("SLUICE_JOB_ID", job);
  block.add("SLUICE_ATTEMPT", facts.run.attempt);
  if (!facts.socket.empty()) block.add("SLUICE_SOCKET", facts.socket);
  return block.take();
}

}  // namespace sluice
