#include "slurm/my_jobs.h"

#include <fmt/format.h>

#include "slurm/queued_request.h"
#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/duration.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kAsked[] = {
    kArray,         kTask,          kState,       kReason,    kSubmit,      kStart,       kEnd,
    kNodes,         kAccount,       kQos,         kPartition, kRestarts,    kExit,        kTres,
    kTimeLimit,     kPriority,      kUser,        kTasks,     kCpusPerTask, kTresPerNode, kFeatures,
    kRequiredNodes, kOverSubscribe, kReservation, kNice,      kName,        kComment};

std::optional<MyJob> job_of(const QueueRecord& record) {
  const auto submitted = record.time(kSubmit);
  if (!submitted) return std::nullopt;
  const JobState state = record.state();
  MyJob out;
  out.job = JobId(record.array());
  out.submitted = *submitted;
  SeenTask& seen = out.seen;
  seen.task = record.task();
  seen.state = state;
  if (state == JobState::kPending) seen.reason = record.reason();
  seen.account = or_empty(record[kAccount]);
  seen.qos = or_empty(record[kQos]);
  seen.partition = or_empty(record[kPartition]);
  if (!is_absent(record[kNodes])) {
    auto nodes = expand_hostlist(record[kNodes]);
    if (!nodes) return std::nullopt;
    seen.nodes = std::move(*nodes);
  }
  seen.start = record.time(kStart);
  seen.restarts = static_cast<std::int32_t>(record.number(kRestarts));
  if (has_ended(state)) {
    seen.end = record.time(kEnd);
    const ExitStatus status = printed_exit(record[kExit]);
    seen.exit_code = status.code;
    seen.signal = status.signal;
  }
  out.tres = or_empty(record[kTres]);
  if (const auto limit = parse_duration(record[kTimeLimit])) out.time_limit = limit->duration;
  out.priority = record.number(kPriority);
  out.name = or_empty(record[kName]);
  out.comment = or_empty(record[kComment]);
  out.user = or_empty(record[kUser]);
  if (state == JobState::kPending && !record[kTasks].empty())
    out.request = std::make_shared<const JobSpec>(request_of(record));
  return out;
}

}  // namespace

std::vector<std::string> my_jobs_command() {
  return squeue_command({"--all", "--me", "--array", "--states=all"}, kAsked);
}

std::vector<std::string> one_job_command(std::uint32_t job) {
  return squeue_command({"--all", "--array", "--states=all", fmt::format("--jobs={}", job)},
                        kAsked);
}

MyJobs parse_my_jobs(std::string_view text) {
  MyJobs out;
  std::size_t without_sense = 0;
  const QueueReading read = read_queue(text, kAsked, [&](const QueueRecord& record) {
    if (auto job = job_of(record))
      out.jobs.push_back(std::move(*job));
    else
      ++without_sense;
  });
  out.unreadable = read.unreadable + without_sense;
  return out;
}

}  // namespace sluice
