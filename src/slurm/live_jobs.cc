#include "slurm/live_jobs.h"

#include <fmt/format.h>

#include "slurm/job_details.h"
#include "slurm/queued_request.h"
#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/hostlist.h"
#include "text/printed_tres.h"

namespace sluice {
namespace {

using enum QueueField;
// No names: what users choose is not asked for, so no job can spoil the table for all.
constexpr QueueField kAsked[] = {
    kArray,         kTask,          kState,       kReason,      kUser,        kAccount,
    kQos,           kPartition,     kTasks,       kCpusPerTask, kTimeLimit,   kSubmit,
    kStart,         kNodes,         kCpus,        kTres,        kTresPerNode, kFeatures,
    kRequiredNodes, kOverSubscribe, kReservation, kNice};

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
  job.request = request_of(record);
  job.submitted = record.time(kSubmit).value_or(Instant{});
  if (job.state != JobState::kPending) {
    job.started = record.time(kStart);
    HeldInAll held;
    if (!is_absent(record[kNodes]))
      held.nodes = expand_hostlist(record[kNodes]).value_or(std::vector<std::string>{});
    held.cpus = record.number(kCpus);
    const PrintedTres amounts = read_printed_tres(record[kTres]);
    held.memory_mb = amounts.memory_mb.value_or(0);
    held.gpus = amounts.gpus.value_or(0);
    for (const HeldOnNode& share : held_shares(claims, record.job(), held))
      job.shares.push_back({share.node, share.cpus, share.memory_mb, share.gpus.to_vector()});
  }
  job.request.hold = job.kept_back;
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
