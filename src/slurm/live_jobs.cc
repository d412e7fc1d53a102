// What a job asks for is read from its TRES, which say it in one way however it was asked for.
#include "slurm/live_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "slurm/job_details.h"
#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum QueueField;
// No names: what users choose is not asked for, so no job can spoil the table for all.
constexpr QueueField kAsked[] = {kArray, kTask,      kState, kReason,      kUser,       kAccount,
                                 kQos,   kPartition, kTasks, kCpusPerTask, kTimeLimit,  kSubmit,
                                 kStart, kNodes,     kCpus,  kTres,        kTresPerNode};

struct Amounts {
  std::map<std::string, std::int64_t> of;
  std::string gpu_type;
};

Amounts read_amounts(std::string_view text) {
  Amounts out;
  constexpr std::string_view kTyped = "gres/gpu:";
  for (const std::string_view word : split(text, ',')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(word.substr(0, equals));
    const std::string_view value = word.substr(equals + 1);
    out.of[name] = name == "mem" ? parse_printed_memory_mb(value).value_or(0)
                                 : whole_number(value).value_or(0);
    if (name.starts_with(kTyped)) out.gpu_type = name.substr(kTyped.size());
  }
  return out;
}

void put_request(Amounts& amounts, bool per_node, JobSpec& spec) {
  const std::int64_t nodes = std::max<std::int64_t>(1, amounts.of["node"]);
  spec.min_nodes = spec.max_nodes = static_cast<std::int32_t>(nodes);
  if (amounts.of["mem"] > 0)
    spec.memory = MemoryRequest{MemoryPer::kNode, (amounts.of["mem"] + nodes - 1) / nodes};
  if (const std::int64_t gpus = amounts.of["gres/gpu"]; gpus > 0)
    spec.gpus.push_back(
        per_node
            ? GpuRequest{GpusPer::kNode, amounts.gpu_type, static_cast<std::int32_t>(gpus / nodes)}
            : GpuRequest{GpusPer::kJob, amounts.gpu_type, static_cast<std::int32_t>(gpus)});
}

QueuedJob job_of(const QueueRecord& record, const JobClaims& claims) {
  QueuedJob job;
  job.id = record.task() ? fmt::format("{}_{}", record.array(), *record.task())
                         : std::to_string(record.job());
  const JobState state = record.state();
  if (state == JobState::kSuspended)
    job.state = state;
  else if (state != JobState::kPending)
    job.state = JobState::kRunning;
  job.reason = record[kReason];
  job.kept_back = job.state == JobState::kPending &&
                  (job.reason.starts_with("JobHeld") || job.reason == "BeginTime" ||
                   job.reason.starts_with("Dependency"));
  JobSpec& spec = job.request;
  spec.user = record[kUser];
  spec.account = record[kAccount];
  spec.qos = record[kQos];
  for (const std::string_view name : split(record[kPartition], ','))
    spec.partitions.emplace_back(name);
  spec.tasks = static_cast<std::int32_t>(whole_number(record[kTasks]).value_or(1));
  spec.cpus_per_task = static_cast<std::int32_t>(whole_number(record[kCpusPerTask]).value_or(1));
  const auto limit = parse_duration(record[kTimeLimit]);
  if (limit && limit->duration)
    spec.time_limit = limit->duration;
  else
    spec.no_time_limit = true;
  Amounts amounts = read_amounts(record[kTres]);
  put_request(amounts, !is_absent(record[kTresPerNode]), spec);
  job.submitted = record.time(kSubmit).value_or(Instant{});
  if (job.state != JobState::kPending) {
    job.started = record.time(kStart);
    HeldInAll held;
    if (!is_absent(record[kNodes]))
      held.nodes = expand_hostlist(record[kNodes]).value_or(std::vector<std::string>{});
    held.cpus = record.number(kCpus);
    held.memory_mb = amounts.of["mem"];
    held.gpus = amounts.of["gres/gpu"];
    for (const HeldOnNode& share : held_shares(claims, record.job(), held))
      job.shares.push_back({share.node, share.cpus, share.memory_mb, share.gpus.to_vector()});
  }
  spec.hold = job.kept_back;
  return job;
}

}  // namespace

std::vector<std::string> live_jobs_command() {
  return squeue_command({"--all", "--array", "--states=PD,R,S,CF,CG,ST"}, kAsked);
}

std::vector<std::string> job_details_command() {
  return {"scontrol", "--oneliner", "--details", "show", "job"};
}

LiveJobs parse_live_jobs(std::string_view text, std::string_view details) {
  const JobClaims claims = parse_job_claims(details);
  LiveJobs out;
  QueueReading read = read_queue(
      text, kAsked, [&](const QueueRecord& record) { out.jobs.push_back(job_of(record, claims)); });
  out.unreadable = read.unreadable;
  out.missing = std::move(read.missing);
  return out;
}

}  // namespace sluice
