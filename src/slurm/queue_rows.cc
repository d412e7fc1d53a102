// Fields are asked for by name and read by position; both stand in one list.
#include "slurm/queue_rows.h"

#include <fmt/format.h>

#include <array>

#include "slurm/table.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

enum Field : std::size_t {
  kJob,
  kArray,
  kTask,
  kState,
  kReason,
  kStart,
  kEnd,
  kPreempted,
  kNodes,
  kPlanned,
  kPriority,
  kRestarts,
  kUser,
  kAccount,
  kQos,
  kPartition,
  kCpus,
  kTimeLimit,
  kFields
};
constexpr std::array<std::string_view, kFields> kNames = {
    "JobID",    "ArrayJobID",  "ArrayTaskID", "State",      "Reason",       "StartTime",
    "EndTime",  "PreemptTime", "NodeList",    "SchedNodes", "PriorityLong", "RestartCnt",
    "UserName", "Account",     "QOS",         "Partition",  "NumCPUs",      "TimeLimit"};

Result<std::vector<std::string>> hosts(std::string_view text) {
  if (is_absent(text)) return std::vector<std::string>{};
  return expand_hostlist(text);
}

Result<QueueRow> parse_row(std::string_view line) {
  auto fields = split(line, kFieldEnd);
  // squeue ends each field with the separator, the last one too.
  if (fields.size() == kFields + 1 && fields.back().empty()) fields.pop_back();
  if (fields.size() != kFields)
    return failed(fmt::format("squeue printed {} fields instead of {}: {}", fields.size(),
                              static_cast<std::size_t>(kFields), line));
  QueueRow row;
  const auto job = whole_number<std::uint32_t>(fields[kJob]);
  const auto state = printed_state(fields[kState]);
  if (!job || !state)
    return failed(fmt::format("squeue printed no job that can be read: {}", line));
  row.job = *job;
  row.state = *state;
  row.array = whole_number<std::uint32_t>(fields[kArray]).value_or(row.job);
  row.task = whole_number<std::uint32_t>(fields[kTask]);
  row.reason = fields[kReason];
  row.start = printed_time(fields[kStart]);
  row.end = printed_time(fields[kEnd]);
  row.preempted = printed_time(fields[kPreempted]);
  TRY(row.nodes, hosts(fields[kNodes]));
  TRY(row.planned, hosts(fields[kPlanned]));
  row.priority = whole_number<std::int64_t>(fields[kPriority]).value_or(0);
  row.restarts = whole_number<std::int64_t>(fields[kRestarts]).value_or(0);
  row.user = fields[kUser];
  row.account = fields[kAccount];
  row.qos = fields[kQos];
  row.partition = fields[kPartition];
  row.cpus = whole_number<std::int64_t>(fields[kCpus]).value_or(0);
  row.time_limit = fields[kTimeLimit];
  return row;
}

}  // namespace

std::vector<std::string> squeue_command() {
  std::string format;
  for (const std::string_view name : kNames)
    format += fmt::format("{}{}:{}", format.empty() ? "" : ",", name, kFieldEnd);
  return {"squeue", "--noheader", "--all", "--array", "--states=all", "--Format=" + format};
}

Result<std::vector<QueueRow>> parse_queue_rows(std::string_view text) {
  std::vector<QueueRow> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    TRY(QueueRow row, parse_row(line));
    out.push_back(std::move(row));
  }
  return out;
}

std::string reason_word(std::string_view printed) {
  if (printed.starts_with("Nodes required for job are DOWN")) return "Resources";
  if (printed.starts_with("Job's account not permitted")) return "AccountNotAllowed";
  if (printed.starts_with("Job's QOS not permitted")) return "QOSNotAllowed";
  // "ReqNodeNotAvail, UnavailableNodes:n1"
  return std::string(printed.substr(0, printed.find(',')));
}

}  // namespace sluice
