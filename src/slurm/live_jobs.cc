// squeue's fields apart by 0x1F; what a job asks for is read from its TRES, which say it in one
// way however it was asked for.
#include "slurm/live_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "slurm/job_details.h"
#include "slurm/table.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

enum Field : std::size_t {
  kNumber,
  kId,
  kState,
  kReason,
  kUser,
  kAccount,
  kQos,
  kPartition,
  kTasks,
  kCpusPerTask,
  kTimeLimit,
  kSubmit,
  kStart,
  kTres,
  kPerNode,
  kName,
  kFields
};
constexpr std::array<std::string_view, kFields> kNames = {
    "JobID",     "JobArrayID", "State",         "Reason",        "UserName",  "Account",
    "QOS",       "Partition",  "NumTasks",      "cpus-per-task", "TimeLimit", "SubmitTime",
    "StartTime", "tres-alloc", "tres-per-node", "Name"};

void read_tres(std::string_view text, bool per_node, JobSpec& spec) {
  std::map<std::string, std::int64_t> amounts;
  std::string type;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(word.substr(0, equals));
    const std::string_view value = word.substr(equals + 1);
    if (name == "mem")
      amounts[name] = parse_printed_memory_mb(value).value_or(0);
    else
      amounts[name] = whole_number(value).value_or(0);
    if (name.starts_with("gres/gpu:")) type = name.substr(9);
  }
  const std::int64_t nodes = std::max<std::int64_t>(1, amounts["node"]);
  spec.min_nodes = spec.max_nodes = static_cast<std::int32_t>(nodes);
  if (amounts["mem"] > 0)
    spec.memory = MemoryRequest{MemoryPer::kNode, (amounts["mem"] + nodes - 1) / nodes};
  if (const std::int64_t gpus = amounts["gres/gpu"]; gpus > 0)
    spec.gpus.push_back(
        per_node ? GpuRequest{GpusPer::kNode, type, static_cast<std::int32_t>(gpus / nodes)}
                 : GpuRequest{GpusPer::kJob, type, static_cast<std::int32_t>(gpus)});
}

Result<QueuedJob> parse_row(std::string_view line, std::uint32_t& number) {
  auto fields = split(line, kFieldEnd);
  if (fields.size() == kFields + 1 && fields.back().empty()) fields.pop_back();
  if (fields.size() != kFields)
    return failed(fmt::format("squeue printed {} fields instead of {}: {}", fields.size(),
                              static_cast<std::size_t>(kFields), quoted(line)));
  QueuedJob job;
  number = static_cast<std::uint32_t>(whole_number(fields[kNumber]).value_or(0));
  job.id = fields[kId];
  const std::string_view state = fields[kState];
  if (state == "SUSPENDED" || state == "STOPPED")
    job.state = JobState::kSuspended;
  else if (state == "RUNNING" || state == "COMPLETING" || state == "CONFIGURING" ||
           state == "SIGNALING" || state == "RESIZING" || state == "STAGE_OUT")
    job.state = JobState::kRunning;
  job.reason = fields[kReason];
  job.kept_back = job.state == JobState::kPending &&
                  (job.reason.starts_with("JobHeld") || job.reason == "BeginTime" ||
                   job.reason.starts_with("Dependency"));
  JobSpec& spec = job.request;
  spec.name = fields[kName];
  spec.user = fields[kUser];
  spec.account = fields[kAccount];
  spec.qos = fields[kQos];
  for (const std::string_view name : split(fields[kPartition], ','))
    spec.partitions.emplace_back(name);
  spec.tasks = static_cast<std::int32_t>(whole_number(fields[kTasks]).value_or(1));
  spec.cpus_per_task = static_cast<std::int32_t>(whole_number(fields[kCpusPerTask]).value_or(1));
  const auto limit = parse_duration(fields[kTimeLimit]);
  if (limit && limit->duration)
    spec.time_limit = limit->duration;
  else
    spec.no_time_limit = true;
  read_tres(fields[kTres], !fields[kPerNode].empty() && fields[kPerNode] != "N/A", spec);
  job.submitted = printed_time(fields[kSubmit]).value_or(Instant{});
  if (job.state != JobState::kPending) job.started = printed_time(fields[kStart]);
  spec.hold = job.kept_back;
  return job;
}

}  // namespace

std::vector<std::string> live_jobs_command() {
  std::string format;
  for (const std::string_view name : kNames)
    format += fmt::format("{}{}:{}", format.empty() ? "" : ",", name, kFieldEnd);
  return {
      "squeue", "--noheader", "--all", "--array", "--states=PD,R,S,CF,CG,ST", "--Format=" + format};
}

std::vector<std::string> job_details_command() {
  return {"scontrol", "--oneliner", "--details", "show", "job"};
}

Result<std::vector<QueuedJob>> parse_live_jobs(std::string_view text, std::string_view details) {
  TRY(const auto held, parse_job_details(details));
  std::vector<QueuedJob> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    std::uint32_t number = 0;
    TRY(QueuedJob job, parse_row(line, number));
    if (job.state != JobState::kPending) {
      const auto found = held.find(number);
      if (found == held.end()) continue;  // It ended between the two commands.
      for (const HeldOnNode& share : found->second)
        job.shares.push_back({share.node, share.cpus, share.memory_mb, share.gpus.to_vector()});
    }
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace sluice
