// Fields are asked for by name and read by position; both stand in one list.
#include "slurm/queue_rows.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "text/hostlist.h"

namespace sluice {
namespace {

constexpr char kSeparator = '\x1f';

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

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Seconds since the epoch; "N/A" and "NONE" are no time.
std::optional<Instant> time(std::string_view text) {
  const auto value = number<std::int64_t>(text);
  if (!value || *value <= 0) return std::nullopt;
  return instant_at(seconds(*value));
}

bool is_absent(std::string_view text) {
  return text.empty() || text == "N/A" || text == "(null)" || text == "None assigned";
}

Result<std::vector<std::string>> hosts(std::string_view text) {
  if (is_absent(text)) return std::vector<std::string>{};
  return expand_hostlist(text);
}

// squeue also shows what is being done to a job; each of these is on the way in one of our states.
std::optional<JobState> state_of(std::string_view text) {
  struct Transition {
    std::string_view word;
    JobState state;
  };
  static constexpr Transition kTransitions[] = {
      {"SIGNALING", JobState::kRunning},    {"CONFIGURING", JobState::kRunning},
      {"RESIZING", JobState::kRunning},     {"STOPPED", JobState::kSuspended},
      {"REQUEUED", JobState::kPending},     {"REQUEUE_HOLD", JobState::kPending},
      {"REQUEUE_FED", JobState::kPending},  {"RESV_DEL_HOLD", JobState::kPending},
      {"SPECIAL_EXIT", JobState::kPending}, {"STAGE_OUT", JobState::kCompleting},
      {"REVOKED", JobState::kCancelled},
  };
  for (const Transition& known : kTransitions)
    if (known.word == text) return known.state;
  return job_state_named(text);
}

Result<QueueRow> parse_row(std::string_view line) {
  auto fields = split(line, kSeparator);
  // squeue ends each field with the separator, the last one too.
  if (fields.size() == kFields + 1 && fields.back().empty()) fields.pop_back();
  if (fields.size() != kFields)
    return failed(fmt::format("squeue printed {} fields instead of {}: {}", fields.size(),
                              static_cast<std::size_t>(kFields), line));
  QueueRow row;
  const auto job = number<std::uint32_t>(fields[kJob]);
  const auto state = state_of(fields[kState]);
  if (!job || !state)
    return failed(fmt::format("squeue printed no job that can be read: {}", line));
  row.job = *job;
  row.state = *state;
  row.array = number<std::uint32_t>(fields[kArray]).value_or(row.job);
  row.task = number<std::uint32_t>(fields[kTask]);
  row.reason = fields[kReason];
  row.start = time(fields[kStart]);
  row.end = time(fields[kEnd]);
  row.preempted = time(fields[kPreempted]);
  TRY(row.nodes, hosts(fields[kNodes]));
  TRY(row.planned, hosts(fields[kPlanned]));
  row.priority = number<std::int64_t>(fields[kPriority]).value_or(0);
  row.restarts = number<std::int64_t>(fields[kRestarts]).value_or(0);
  row.user = fields[kUser];
  row.account = fields[kAccount];
  row.qos = fields[kQos];
  row.partition = fields[kPartition];
  row.cpus = number<std::int64_t>(fields[kCpus]).value_or(0);
  row.time_limit = fields[kTimeLimit];
  return row;
}

}  // namespace

std::vector<std::string> squeue_command() {
  std::string format;
  for (const std::string_view name : kNames)
    format += fmt::format("{}{}:{}", format.empty() ? "" : ",", name, kSeparator);
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
