// Fields are asked for by name and read by position; both stand in one list.
#include "slurm/my_jobs.h"

#include <array>

#include "slurm/queue_rows.h"
#include "slurm/table.h"
#include "text/duration.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

enum Field : std::size_t {
  kJob,
  kArray,
  kTask,
  kState,
  kReason,
  kSubmit,
  kStart,
  kEnd,
  kNodes,
  kAccount,
  kQos,
  kPartition,
  kRestarts,
  kExit,
  kTres,
  kTimeLimit,
  kPriority,
  kName,
  kComment,
  kFields
};
constexpr std::array<std::string_view, kFields> kNames = {
    "JobID",      "ArrayJobID", "ArrayTaskID",  "State", "Reason",    "SubmitTime", "StartTime",
    "EndTime",    "NodeList",   "Account",      "QOS",   "Partition", "RestartCnt", "exit_code",
    "tres-alloc", "TimeLimit",  "PriorityLong", "Name",  "Comment"};

std::optional<MyJob> read_row(const std::vector<std::string_view>& row) {
  const auto job = whole_number<std::uint32_t>(row[kJob]);
  const auto state = printed_state(row[kState]);
  const auto submitted = printed_time(row[kSubmit]);
  if (!job || !state || !submitted) return std::nullopt;
  MyJob out;
  out.job = JobId(whole_number<std::uint32_t>(row[kArray]).value_or(*job));
  out.submitted = *submitted;
  SeenTask& seen = out.seen;
  seen.task = whole_number<std::uint32_t>(row[kTask]);
  seen.state = *state;
  if (*state == JobState::kPending) seen.reason = reason_word(row[kReason]);
  seen.account = or_empty(row[kAccount]);
  seen.qos = or_empty(row[kQos]);
  seen.partition = or_empty(row[kPartition]);
  if (!is_absent(row[kNodes])) {
    auto nodes = expand_hostlist(row[kNodes]);
    if (!nodes) return std::nullopt;
    seen.nodes = std::move(*nodes);
  }
  seen.start = printed_time(row[kStart]);
  if (has_ended(*state)) seen.end = printed_time(row[kEnd]);
  seen.restarts = whole_number<std::int32_t>(row[kRestarts]).value_or(0);
  if (has_ended(*state)) {
    // As wait() gives it.
    const auto status = whole_number<std::int32_t>(row[kExit]).value_or(0);
    seen.exit_code = (status >> 8) & 0xff;
    seen.signal = status & 0x7f;
  }
  out.tres = or_empty(row[kTres]);
  if (const auto limit = parse_duration(row[kTimeLimit])) out.time_limit = limit->duration;
  out.priority = whole_number<std::int64_t>(row[kPriority]).value_or(0);
  out.name = or_empty(row[kName]);
  out.comment = or_empty(row[kComment]);
  return out;
}

}  // namespace

std::vector<std::string> my_jobs_command() {
  return {"squeue",
          "--noheader",
          "--all",
          "--me",
          "--array",
          "--states=all",
          "--Format=" + squeue_format(kNames)};
}

MyJobs parse_my_jobs(std::string_view text) {
  MyJobs out;
  const Records records = squeue_records(text, kFields);
  out.unreadable = records.unreadable;
  for (const auto& row : records.rows) {
    if (auto job = read_row(row))
      out.jobs.push_back(std::move(*job));
    else
      ++out.unreadable;
  }
  return out;
}

}  // namespace sluice
