#include "slurm/listed_jobs.h"

#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "text/printed_tres.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kAsked[] = {kArray, kTask,      kState,    kReason,  kSubmit, kStart,
                                 kEnd,   kNodes,     kUser,     kAccount, kQos,    kPartition,
                                 kTres,  kTimeLimit, kPriority, kName};

}  // namespace

std::vector<std::string> listed_jobs_command() {
  return squeue_command({"--all",
                         "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED,"
                         "COMPLETING,SIGNALING,RESIZING"},
                        kAsked);
}

std::vector<ListedJob> parse_listed_jobs(std::string_view text) {
  std::vector<ListedJob> out;
  read_queue(text, kAsked, [&](const QueueRecord& record) {
    ListedJob job;
    job.job = record.job();
    job.task = record.task();
    if (!is_absent(record[kTask])) job.array = record.array();
    if (job.array && !job.task) {
      job.waiting_tasks = record[kTask];
      if (const auto spec = parse_array_spec(record[kTask]); spec && !spec->indices.empty())
        job.tasks = static_cast<std::int64_t>(spec->indices.size());
    }
    job.name = or_empty(record[kName]);
    job.user = record[kUser];
    job.account = or_empty(record[kAccount]);
    job.qos = or_empty(record[kQos]);
    job.partition = record[kPartition];
    job.state = record.state();
    if (job.state == JobState::kPending) job.reason = record.reason();
    if (!is_absent(record[kNodes])) job.nodes = record[kNodes];
    job.priority = record.number(kPriority);
    const PrintedTres amounts = read_printed_tres(record[kTres]);
    job.cpus = amounts.cpus.value_or(job.cpus);
    job.memory_mb = amounts.memory_mb.value_or(job.memory_mb);
    job.gpus = amounts.gpus.value_or(job.gpus);
    if (const auto limit = parse_duration(record[kTimeLimit])) job.limit = limit->duration;
    job.submitted = record.time(kSubmit);
    job.start = record.time(kStart);
    job.end = record.time(kEnd);
    out.push_back(std::move(job));
  });
  return out;
}

}  // namespace sluice
