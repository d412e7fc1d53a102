#include "slurm/run_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kPlannedFields[] = {kArray, kTask, kStart, kPriority};

std::vector<std::string> sacct_command(Instant since) {
  return {"sacct", "--noheader", "--parsable2", "--allocations", "--allusers",
          fmt::format("--delimiter={}", kFieldEnd),
          fmt::format("--starttime=uts{}", to_seconds(since)),
          // Without an end a state is looked for at the start alone.
          "--endtime=now"};
}

}  // namespace

std::vector<std::string> run_times_command(Instant since) {
  std::vector<std::string> out = sacct_command(since);
  out.emplace_back("--state=COMPLETED,FAILED,TIMEOUT,OUT_OF_MEMORY");
  out.emplace_back("--format=User,TimelimitRaw,ElapsedRaw,State");
  return out;
}

std::vector<RunTime> parse_run_times(std::string_view text) {
  std::vector<RunTime> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, kFieldEnd);
    if (fields.size() != 4) continue;
    const auto limit = whole_number<std::int64_t>(fields[1]);
    const auto run = whole_number<std::int64_t>(fields[2]);
    const auto state = printed_state(fields[3]);
    if (!limit || !run || !state || *limit <= 0 || *run < 0 || !has_ended(*state)) continue;
    out.push_back({std::string(fields[0]), minutes(*limit), seconds(*run)});
  }
  return out;
}

std::vector<std::string> job_starts_command(std::span<const std::string> jobs, Instant since) {
  std::vector<std::string> out = sacct_command(since);
  out.push_back(fmt::format("--jobs={}", fmt::join(jobs, ",")));
  out.emplace_back("--format=JobID,Submit,Start");
  return out;
}

std::vector<JobStart> parse_job_starts(std::string_view text) {
  std::vector<JobStart> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, kFieldEnd);
    if (fields.size() != 3) continue;
    const auto submitted = printed_time(fields[1]);
    if (submitted) out.push_back({std::string(fields[0]), *submitted, printed_time(fields[2])});
  }
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
                   record.time(kStart), record.number(kPriority)});
  });
  return out;
}

}  // namespace sluice
