#include "pools/verbs/slurm_lists.h"

#include <fmt/format.h>

#include <map>

#include "cli/local_time.h"
#include "pools/routing_context.h"
#include "slurm/job_output.h"
#include "slurm/listed_jobs.h"
#include "text/hostlist.h"
#include "text/job_reference.h"

namespace sluice {
namespace {

QueueLine line_of(const ListedJob& job, Instant now) {
  QueueLine line;
  line.job = JobId(job.job);
  line.id = std::to_string(job.array.value_or(job.job));
  if (job.array) line.array = JobId(*job.array);
  line.task = job.task;
  if (job.task) line.id += fmt::format("_{}", *job.task);
  if (job.array && !job.task) line.id += fmt::format("_[{}]", job.waiting_tasks);
  line.name = job.name;
  line.user = job.user;
  line.account = job.account;
  line.partition = job.partition;
  line.qos = job.qos;
  line.state = job.state;
  line.reason = job.reason;
  line.priority = job.priority;
  line.nodes = job.nodes;
  line.cpus = job.cpus;
  line.memory_mb = job.memory_mb;
  line.gpus = job.gpus;
  line.limit = job.limit;
  line.submitted = job.submitted.value_or(Instant{});
  line.tasks = job.tasks;
  if (job.state == JobState::kPending) {
    line.waiting = job.tasks;
    line.expected = job.start;
  } else {
    line.running = 1;
    line.started = job.start;
    line.ends_by = job.end;
    if (job.start && now > *job.start) line.elapsed = now - *job.start;
  }
  return line;
}

// The tasks of an array stand together on its first line.
void add_to(QueueLine& whole, const QueueLine& task) {
  whole.id = fmt::format("{}_*", whole.array->value());
  whole.task.reset();
  whole.tasks += task.tasks;
  whole.waiting += task.waiting;
  whole.running += task.running;
  if (!task.reason.empty()) whole.reason = task.reason;
  if (!task.started) return;
  whole.state = JobState::kRunning;
  if (!whole.started || *task.started < *whole.started) {
    whole.started = task.started;
    whole.elapsed = task.elapsed;
  }
  if (whole.nodes.empty())
    whole.nodes = task.nodes;
  else if (whole.nodes != task.nodes && !whole.nodes.ends_with(" …"))
    whole.nodes += " …";
}

}  // namespace

namespace {

Result<std::vector<QueueLine>> lines_of_slurm() {
  const auto slurm = this_slurm();
  TRY(const Answered answer, slurm->caller().ask("listed_jobs", listed_jobs_command(), seconds(5)));
  const Instant now = now_here();
  std::vector<QueueLine> out;
  for (const ListedJob& job : parse_listed_jobs(answer.text)) out.push_back(line_of(job, now));
  return out;
}

}  // namespace

Result<std::vector<QueueLine>> tasks_of_slurm(std::optional<JobId> array) {
  TRY(std::vector<QueueLine> out, lines_of_slurm());
  std::erase_if(
      out, [&](const QueueLine& line) { return array && line.array.value_or(line.job) != *array; });
  return out;
}

Result<std::vector<QueueLine>> queue_of_slurm() {
  TRY(std::vector<QueueLine> lines, lines_of_slurm());
  std::vector<QueueLine> out;
  std::map<JobId, std::size_t> arrays;
  for (QueueLine& line : lines) {
    if (line.array) {
      const auto [at, is_new] = arrays.try_emplace(*line.array, out.size());
      if (!is_new) {
        add_to(out[at->second], line);
        continue;
      }
    }
    out.push_back(std::move(line));
  }
  return out;
}

Result<std::vector<NodeLine>> nodes_of_slurm() {
  TRY(const Description seen, this_slurm()->describe());
  const Policy& policy = *seen.policy;
  std::vector<NodeLine> out;
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t i = 0; i < policy.nodes.size(); ++i) {
    const Node& node = policy.nodes[i];
    const NodeRoom& room = seen.nodes[i];
    NodeLine line;
    line.name = node.name;
    line.cpus = node.cpus;
    line.cpus_free = room.free_cpus;
    line.memory_mb = node.memory_mb;
    line.memory_free_mb = room.free_memory_mb;
    line.gpus = static_cast<std::int64_t>(node.gpus.size());
    line.gpus_free = static_cast<std::int64_t>(room.free_gpus.size());
    line.state = !room.usable                  ? "down"
                 : room.free_cpus >= node.cpus ? "idle"
                 : room.free_cpus > 0          ? "mixed"
                                               : "allocated";
    places[node.name] = out.size();
    out.push_back(std::move(line));
  }
  for (const Partition& partition : policy.partitions)
    for (const NodeId node : partition.nodes) {
      std::string& names = out[node.index()].partitions;
      names += (names.empty() ? "" : ",") + partition.name;
    }
  for (const HeldJob& job : seen.jobs)
    for (const std::string& node : job.nodes)
      if (const auto place = places.find(node); place != places.end()) ++out[place->second].jobs;
  return out;
}

Result<std::vector<ReservationLine>> reservations_of_slurm() {
  TRY(const Description seen, this_slurm()->describe());
  std::vector<ReservationLine> out;
  for (const KeptNodes& kept : seen.kept) {
    ReservationLine& line = out.emplace_back();
    line.name = kept.reservation;
    line.start = kept.start;
    line.end = kept.end;
    line.state = kept.start <= seen.as_of && seen.as_of < kept.end ? "ACTIVE" : "INACTIVE";
    std::vector<std::string> names;
    for (const NodeId node : kept.nodes) {
      const Node& there = seen.policy->nodes[node.index()];
      names.push_back(there.name);
      line.cpus += kept.cpus > 0 ? kept.cpus : there.cpus;
    }
    line.nodes = compress_hostlist(names);
    line.node_count = static_cast<std::int64_t>(names.size());
    line.users = kept.users;
    line.accounts = kept.accounts;
    line.flags = kept.flags;
  }
  return out;
}

Result<SlurmOutput> output_on_slurm(const std::string& job) {
  TRY(const JobReference named, parse_job_reference(job));
  const auto slurm = this_slurm();
  TRY(const CommandOutput answer,
      slurm->caller().insist(job_output_command(format_job_reference(named))));
  const auto found = parse_job_output(answer.output);
  if (!found) return failed(fmt::format("Slurm has forgotten job {}", job), "see: sacct -j " + job);
  return SlurmOutput{found->stdout_path, found->stderr_path, found->has_started};
}

Result<void> cancel_on_slurm(const std::string& job) {
  TRY(const JobReference named, parse_job_reference(job));
  const auto slurm = this_slurm(Look::kNow);
  if (!named.tasks) return slurm->cancel({{named.job, {}}, {}});
  return slurm->cancel_tasks({named.job, {}}, *named.tasks);
}

}  // namespace sluice
