#include "slurm/squeue.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "slurm/table.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::array<QueueFieldInfo, kQueueFields> kFields = {{
    {QueueField::kJob, "JobID", "JOBID", kOldestSlurm},
    {QueueField::kArray, "ArrayJobID", "ARRAY_JOB_ID", kOldestSlurm},
    {QueueField::kTask, "ArrayTaskID", "ARRAY_TASK_ID", kOldestSlurm},
    {QueueField::kState, "State", "STATE", kOldestSlurm},
    {QueueField::kReason, "Reason", "REASON", kOldestSlurm},
    {QueueField::kSubmit, "SubmitTime", "SUBMIT_TIME", kOldestSlurm},
    {QueueField::kStart, "StartTime", "START_TIME", kOldestSlurm},
    {QueueField::kEnd, "EndTime", "END_TIME", kOldestSlurm},
    {QueueField::kPreempted, "PreemptTime", "PREEMPT_TIME", kOldestSlurm},
    {QueueField::kNodes, "NodeList", "NODELIST", kOldestSlurm},
    {QueueField::kPlanned, "SchedNodes", "SCHEDNODES", kOldestSlurm},
    {QueueField::kPriority, "PriorityLong", "PRIORITY", kOldestSlurm},
    {QueueField::kRestarts, "RestartCnt", "RESTART_COUNT", kOldestSlurm},
    {QueueField::kUser, "UserName", "USER", kOldestSlurm},
    {QueueField::kAccount, "Account", "ACCOUNT", kOldestSlurm},
    {QueueField::kQos, "QOS", "QOS", kOldestSlurm},
    {QueueField::kPartition, "Partition", "PARTITION", kOldestSlurm},
    {QueueField::kCpus, "NumCPUs", "CPUS", kOldestSlurm},
    {QueueField::kTasks, "NumTasks", "TASKS", kOldestSlurm},
    {QueueField::kCpusPerTask, "cpus-per-task", "CPUS_PER_TASK", kOldestSlurm},
    {QueueField::kTimeLimit, "TimeLimit", "TIME_LIMIT", kOldestSlurm},
    {QueueField::kExit, "exit_code", "EXIT_CODE", kOldestSlurm},
    {QueueField::kTres, "tres-alloc", "TRES_ALLOC", kOldestSlurm},
    {QueueField::kTresPerNode, "tres-per-node", "TRES_PER_NODE", kOldestSlurm},
    {QueueField::kDependency, "Dependency", "DEPENDENCY", kOldestSlurm},
    {QueueField::kFeatures, "Feature", "FEATURES", kOldestSlurm},
    {QueueField::kRequiredNodes, "ReqNodes", "REQ_NODES", kOldestSlurm},
    {QueueField::kOverSubscribe, "OverSubscribe", "OVER_SUBSCRIBE", kOldestSlurm},
    {QueueField::kReservation, "Reservation", "RESERVATION", kOldestSlurm},
    {QueueField::kNice, "Nice", "NICE", kOldestSlurm},
    {QueueField::kName, "Name", "NAME", kOldestSlurm, true},
    {QueueField::kComment, "Comment", "COMMENT", kOldestSlurm, true},
    {QueueField::kStdOut, "StdOut", "STDOUT", kOldestSlurm, true},
    {QueueField::kStdErr, "StdErr", "STDERR", kOldestSlurm, true},
}};

// A name or comment is cut by Slurm at 1024 bytes; a text that goes on for longer is not one.
constexpr std::size_t kLongestText = 64 * 1024;

// The columns of a table: the job's number, what Slurm wrote, then each text that users choose and
// the number again.
std::vector<QueueField> columns_of(std::span<const QueueField> fields, bool chosen) {
  std::vector<QueueField> out;
  for (const QueueField field : fields)
    if (field != QueueField::kJob && info_of(field).chosen_by_users == chosen) out.push_back(field);
  return out;
}

}  // namespace

const QueueFieldInfo& info_of(QueueField field) {
  const QueueFieldInfo& out = kFields[static_cast<std::size_t>(field)];
  CHECK(out.field == field);
  return out;
}

std::vector<std::string> squeue_command(std::vector<std::string> options,
                                        std::span<const QueueField> fields,
                                        const SlurmVersion& version) {
  const std::string_view number = info_of(QueueField::kJob).name;
  std::string format = fmt::format("{}:{}", number, kFieldEnd);
  for (const QueueField field : columns_of(fields, false))
    if (info_of(field).since <= version)
      format += fmt::format(",{}:{}", info_of(field).name, kFieldEnd);
  const auto texts = columns_of(fields, true);
  for (const QueueField field : texts)
    format += fmt::format(",{}:{},{}:{}", info_of(field).name, kFieldEnd, number,
                          field == texts.back() ? kRecordEnd : kFieldEnd);
  if (texts.empty()) format += fmt::format(",{}:{}", number, kRecordEnd);
  options.insert(options.begin(), "squeue");
  options.push_back("--Format=" + format);
  return options;
}

std::uint32_t QueueRecord::array() const {
  return whole_number<std::uint32_t>((*this)[QueueField::kArray]).value_or(job_);
}

std::optional<std::uint32_t> QueueRecord::task() const {
  return whole_number<std::uint32_t>((*this)[QueueField::kTask]);
}

JobState QueueRecord::state() const {
  if (const auto known = printed_state((*this)[QueueField::kState])) return *known;
  return is_absent((*this)[QueueField::kNodes]) ? JobState::kPending : JobState::kRunning;
}

std::string QueueRecord::reason() const { return reason_word((*this)[QueueField::kReason]); }

std::optional<Instant> QueueRecord::time(QueueField field) const {
  return printed_time((*this)[field]);
}

std::int64_t QueueRecord::number(QueueField field) const {
  return whole_number<std::int64_t>((*this)[field]).value_or(0);
}

class QueueReader {
 public:
  QueueReader(std::string_view text, std::span<const QueueField> fields)
      : text_(text), fixed_(columns_of(fields, false)), chosen_(columns_of(fields, true)) {}

  QueueReading read(const std::function<void(const QueueRecord&)>& visit) {
    read_header();
    while (at_ < text_.size()) {
      const std::size_t start = at_;
      QueueRecord record;
      if (read_record(record)) {
        visit(record);
      } else {
        ++reading_.unreadable;
        // The next record begins behind the next end.
        const std::size_t end = text_.find(kRecordEnd, start);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
      }
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    }
    return std::move(reading_);
  }

 private:
  // Up to the next 0x1F, which is passed; nothing where the record ends first.
  std::optional<std::string_view> next_field() {
    const std::size_t end = text_.find_first_of("\x1f\x1e", at_);
    if (end == std::string_view::npos || text_[end] != kFieldEnd) return std::nullopt;
    const std::string_view out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }

  void read_header() {
    const std::size_t end = text_.find(kRecordEnd);
    if (end == std::string_view::npos) return;
    const auto titles = split(text_.substr(0, end), kFieldEnd);
    if (whole_number<std::uint32_t>(titles.front())) return;  // No header: as it was asked for.
    at_ = end + 1;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    const std::size_t columns = 1 + fixed_.size() + std::max<std::size_t>(1, 2 * chosen_.size());
    if (titles.size() == columns) {
      for (std::size_t i = 0; i < fixed_.size(); ++i)
        if (titles[i + 1].empty()) reading_.missing.emplace_back(info_of(fixed_[i]).name);
      return;
    }
    // This squeue prints no column for a field that it does not know.
    std::size_t next = 1;
    const auto is_there = [&](QueueField field) {
      if (next < titles.size() && titles[next] == info_of(field).title) {
        ++next;
        return true;
      }
      reading_.missing.emplace_back(info_of(field).name);
      return false;
    };
    std::erase_if(fixed_, [&](QueueField field) { return !is_there(field); });
  }

  bool read_record(QueueRecord& record) {
    const auto number = next_field();
    if (!number) return false;
    const auto job = whole_number<std::uint32_t>(*number);
    if (!job) return false;
    record.job_ = *job;
    record.values_[static_cast<std::size_t>(QueueField::kJob)] = *number;
    for (const QueueField field : fixed_) {
      const auto value = next_field();
      if (!value) return false;
      record.values_[static_cast<std::size_t>(field)] = *value;
    }
    // What closes a text: the number between separators.
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const bool last = i + 1 == chosen_.size();
      const std::string close =
          fmt::format("{}{}{}", kFieldEnd, *number, last ? kRecordEnd : kFieldEnd);
      const std::size_t end = text_.substr(at_, kLongestText).find(close);
      if (end == std::string_view::npos) return false;
      record.values_[static_cast<std::size_t>(chosen_[i])] = text_.substr(at_, end);
      at_ += end + close.size();
    }
    if (!chosen_.empty()) return true;
    const std::size_t end = text_.find_first_of("\x1f\x1e", at_);
    if (end == std::string_view::npos || text_[end] != kRecordEnd ||
        text_.substr(at_, end - at_) != *number)
      return false;
    at_ = end + 1;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<QueueField> fixed_;
  std::vector<QueueField> chosen_;
  QueueReading reading_;
};

QueueReading read_queue(std::string_view text, std::span<const QueueField> fields,
                        const std::function<void(const QueueRecord&)>& visit) {
  return QueueReader(text, fields).read(visit);
}

std::string reason_word(std::string_view printed) {
  if (printed.starts_with("Nodes required for job are DOWN")) return "Resources";
  if (printed.starts_with("Job's account not permitted")) return "AccountNotAllowed";
  if (printed.starts_with("Job's QOS not permitted")) return "QOSNotAllowed";
  // "Reservation night was deleted"
  if (printed.starts_with("Reservation ") && printed.ends_with(" was deleted"))
    return "ReservationDeleted";
  // "ReqNodeNotAvail, UnavailableNodes:n1"
  return std::string(printed.substr(0, printed.find(',')));
}

ExitStatus printed_exit(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos)
    return {whole_number<std::int32_t>(text.substr(0, colon)).value_or(0),
            whole_number<std::int32_t>(text.substr(colon + 1)).value_or(0)};
  const auto status = whole_number<std::int32_t>(text).value_or(0);
  return {(status >> 8) & 0xff, status & 0x7f};
}

}  // namespace sluice
