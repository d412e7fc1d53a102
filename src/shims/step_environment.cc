#include "shims/step_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/counts_per_node.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

// The numbers of the GPUs that the task sees.
std::vector<std::int64_t> gpus_of(const StepFacts& facts, const TaskPlace& place) {
  const std::vector<std::int64_t>& all = facts.nodes[place.node].gpus;
  if (facts.gpus_per_task == 0) return all;
  std::vector<std::int64_t> out;
  const auto each = static_cast<std::size_t>(facts.gpus_per_task);
  for (std::size_t i = place.local * each; i < (place.local + 1) * each && i < all.size(); ++i)
    out.push_back(all[i]);
  return out;
}

// By the names that the job knows them by, which may be identities and not numbers.
void add_gpus(Variables& out, const StepFacts& facts, const TaskPlace& place, JobVariable job) {
  const std::string numbers_of_job = job("SLURM_JOB_GPUS");
  if (numbers_of_job.empty()) return;
  const std::vector<std::int64_t> gpus = gpus_of(facts, place);
  const std::string numbers = fmt::format("{}", fmt::join(gpus, ","));
  const std::string names_of_job = job("CUDA_VISIBLE_DEVICES");
  const auto known = split(numbers_of_job, ',');
  const auto called = split(names_of_job, ',');
  std::string names;
  for (const std::int64_t gpu : gpus) {
    const std::string number = std::to_string(gpu);
    const auto at = std::find(known.begin(), known.end(), number);
    const auto index = static_cast<std::size_t>(at - known.begin());
    // The job tells the names of its first node's GPUs alone.
    const bool named = place.node == 0 && index < called.size();
    (names += names.empty() ? "" : ",") += named ? std::string(called[index]) : number;
  }
  const std::string none = gpus.empty() ? "NoDevFiles" : "";
  out.emplace_back("SLURM_STEP_GPUS", numbers);
  out.emplace_back("SLURM_GPUS_ON_NODE",
                   gpus.empty() ? "" : std::to_string(facts.nodes[place.node].gpus.size()));
  out.emplace_back("CUDA_VISIBLE_DEVICES", none + names);
  out.emplace_back("ROCR_VISIBLE_DEVICES", none + names);
  out.emplace_back("GPU_DEVICE_ORDINAL", numbers);
  out.emplace_back("ZE_AFFINITY_MASK", numbers);
}

}  // namespace

TaskPlace place_of(const std::vector<StepNode>& nodes, std::uint32_t task) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<std::uint32_t>& tasks = nodes[i].tasks;
    const auto at = std::find(tasks.begin(), tasks.end(), task);
    if (at != tasks.end()) return {i, static_cast<std::size_t>(at - tasks.begin())};
  }
  return {};
}

Variables step_environment(const StepFacts& facts, std::uint32_t task, JobVariable job) {
  const TaskPlace place = place_of(facts.nodes, task);
  const StepNode& node = facts.nodes[place.node];
  std::vector<std::string> names;
  std::vector<std::int32_t> counts;
  for (const StepNode& each : facts.nodes) {
    names.push_back(each.name);
    counts.push_back(static_cast<std::int32_t>(each.tasks.size()));
  }
  const std::string tasks = std::to_string(facts.tasks);
  const std::string number = std::to_string(facts.number);
  const std::string nodes = std::to_string(facts.nodes.size());
  Variables out = {
      {"SLURM_PROCID", std::to_string(task)},
      {"SLURM_LOCALID", std::to_string(place.local)},
      {"SLURM_NODEID", std::to_string(place.node)},
      {"SLURMD_NODENAME", node.name},
      {"SLURM_TOPOLOGY_ADDR", node.name},
      {"SLURM_GTIDS", fmt::format("{}", fmt::join(node.tasks, ","))},
      {"SLURM_NTASKS", tasks},
      {"SLURM_NPROCS", tasks},
      {"SLURM_NNODES", nodes},
      {"SLURM_STEP_ID", number},
      {"SLURM_STEPID", number},
      {"SLURM_STEP_NUM_TASKS", tasks},
      {"SLURM_STEP_NUM_NODES", nodes},
      {"SLURM_STEP_NODELIST", compress_hostlist(names)},
      {"SLURM_STEP_TASKS_PER_NODE", counts_per_node(counts)},
      {"SLURM_TASKS_PER_NODE", counts_per_node(counts)},
      {"SLURM_CPUS_ON_NODE", std::to_string(node.cpus)},
      {"SLURM_DISTRIBUTION", facts.order == TaskOrder::kBlock ? "block" : "cyclic"},
      {"SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1"},
      {"SLURM_SRUN_COMM_HOST", "127.0.0.1"},
      {"SRUN_DEBUG", "3"},
  };
  if (facts.label) out.emplace_back("SLURM_LABELIO", "1");
  add_gpus(out, facts, place, job);
  return out;
}

}  // namespace sluice
