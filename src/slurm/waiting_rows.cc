// Rows of squeue, put together again.
#include "slurm/waiting_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "slurm/submit_command.h"
#include "slurm/table.h"
#include "text/printed_tres.h"

namespace sluice {
namespace {

std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) out.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

}  // namespace

TaskNeed need_of_row(const MyJob& job) {
  TaskNeed out;
  const PrintedTres amounts = read_printed_tres(job.tres);
  out.cpus = std::max<std::int64_t>(1, amounts.cpus.value_or(0));
  out.memory_mb = amounts.memory_mb.value_or(out.memory_mb);
  if (amounts.nodes) out.nodes = std::max<std::int64_t>(1, *amounts.nodes);
  out.gpus = amounts.gpus.value_or(out.gpus);
  out.gpu_type = amounts.gpu_type;
  out.time_limit = job.time_limit;
  out.partitions = names_of(job.seen.partition);
  out.request = job.request;
  return out;
}

std::vector<WaitingTasks> waiting_groups(const MyJobs& mine) {
  using Key = std::tuple<std::uint32_t, std::string, std::string, std::string, std::string>;
  std::map<Key, WaitingTasks> groups;
  for (const MyJob& job : mine.jobs) {
    if (job.seen.state != JobState::kPending) continue;
    WaitingTasks& group = groups[{job.job.value(), job.seen.account, job.seen.qos,
                                  job.seen.partition, job.seen.reason}];
    group.job = {job.job, job.submitted};
    group.account = job.seen.account;
    group.qos = job.seen.qos;
    group.reason = job.seen.reason;
    group.since = job.submitted;
    group.need = need_of_row(job);
    group.partitions = group.need.partitions;
    group.name = job.name;
    group.key = key_in(job.comment);
    group.restarts = job.seen.restarts;
    group.start = job.seen.start;
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
