// Rows of squeue, put together again.
#include "apps/slurm_waiting.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "apps/routing_context.h"
#include "text/memory.h"

namespace sluice {

TaskNeed need_of_row(const MyJob& job, const TresRegistry& registry) {
  TaskNeed out;
  out.cpus = 0;
  for (const std::string& item : listed_names({job.tres})) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = item.substr(0, equals);
    const std::string amount = item.substr(equals + 1);
    const auto tres = registry.find(name);
    if (!tres) continue;
    const std::int64_t value = *tres == kTresMem ? parse_printed_memory_mb(amount).value_or(0)
                                                 : std::strtoll(amount.c_str(), nullptr, 10);
    if (*tres == kTresCpu) out.cpus = value;
    if (*tres == kTresMem) out.memory_mb = value;
    if (*tres == kTresNode) out.nodes = std::max<std::int64_t>(1, value);
    if (*tres == kTresGpu) out.gpus = value;
    constexpr std::string_view kTyped = "gres/gpu:";
    if (name.starts_with(kTyped)) out.gpu_type = name.substr(kTyped.size());
  }
  out.cpus = std::max<std::int64_t>(1, out.cpus);
  out.time_limit = job.time_limit;
  out.partitions = listed_names({job.seen.partition});
  return out;
}

std::vector<WaitingTasks> waiting_groups(const MyJobs& mine, const TresRegistry& registry) {
  using Key = std::tuple<std::uint32_t, std::string, std::string, std::string, std::string>;
  std::map<Key, WaitingTasks> groups;
  for (const MyJob& job : mine.jobs) {
    if (job.seen.state != JobState::kPending) continue;
    WaitingTasks& group = groups[{job.job.value(), job.seen.account, job.seen.qos,
                                  job.seen.partition, job.seen.reason}];
    group.job = {job.job, job.submitted};
    group.account = job.seen.account;
    group.qos = job.seen.qos;
    group.partitions = listed_names({job.seen.partition});
    group.reason = job.seen.reason;
    group.since = job.submitted;
    group.need = need_of_row(job, registry);
    if (job.seen.task) {
      if (!group.tasks) group.tasks.emplace();
      group.tasks->insert(*job.seen.task);
    }
  }
  std::vector<WaitingTasks> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

}  // namespace sluice
