#include "slurm/run_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "slurm/sacct.h"
#include "slurm/squeue.h"
#include "slurm/table.h"

namespace sluice {
namespace {

constexpr QueueField kPlannedFields[] = {QueueField::kArray, QueueField::kTask, QueueField::kStart,
                                         QueueField::kPriority};
constexpr AccountingField kTimes[] = {AccountingField::kUser, AccountingField::kTimeLimit,
                                      AccountingField::kElapsed, AccountingField::kState};
constexpr AccountingField kStarts[] = {AccountingField::kJobId, AccountingField::kSubmit,
                                       AccountingField::kStart};

std::vector<std::string> of_all_jobs(Instant since, std::string more,
                                     std::span<const AccountingField> fields) {
  return sacct_command(
      {"--allocations", "--allusers", fmt::format("--starttime=uts{}", to_seconds(since)),
       // Without an end a state is looked for at the start alone.
       "--endtime=now", std::move(more)},
      fields);
}

}  // namespace

std::vector<std::string> run_times_command(Instant since) {
  return of_all_jobs(since, "--state=COMPLETED,FAILED,TIMEOUT,OUT_OF_MEMORY", kTimes);
}

std::vector<RunTime> parse_run_times(std::string_view text) {
  std::vector<RunTime> out;
  read_sacct(text, kTimes, [&](const AccountingRecord& record) {
    const auto limit = whole_number<std::int64_t>(record[AccountingField::kTimeLimit]);
    const auto run = whole_number<std::int64_t>(record[AccountingField::kElapsed]);
    const auto state = printed_state(record[AccountingField::kState]);
    if (!limit || !run || !state || *limit <= 0 || *run < 0 || !has_ended(*state)) return;
    out.push_back({std::string(record[AccountingField::kUser]), minutes(*limit), seconds(*run)});
  });
  return out;
}

std::vector<std::string> job_starts_command(std::span<const std::string> jobs, Instant since) {
  return of_all_jobs(since, fmt::format("--jobs={}", fmt::join(jobs, ",")), kStarts);
}

std::vector<JobStart> parse_job_starts(std::string_view text) {
  std::vector<JobStart> out;
  read_sacct(text, kStarts, [&](const AccountingRecord& record) {
    const auto submitted = printed_time(record[AccountingField::kSubmit]);
    if (submitted)
      out.push_back({std::string(record[AccountingField::kJobId]), *submitted,
                     printed_time(record[AccountingField::kStart])});
  });
  return out;
}

std::vector<std::string> planned_jobs_command() {
  return squeue_command({"--all", "--array", "--states=PD"}, kPlannedFields);
}

std::vector<PlannedJob> parse_planned_jobs(std::string_view text) {
  std::vector<PlannedJob> out;
  read_queue(text, kPlannedFields, [&](const QueueRecord& record) {
    out.push_back({record.task() ? fmt::format("{}_{}", record.array(), *record.task())
                                 : std::to_string(record.job()),
                   record.time(QueueField::kStart), record.number(QueueField::kPriority)});
  });
  return out;
}

}  // namespace sluice
