// 50,000 rows are nothing unusual: equal texts are read once.
#include "slurm/held_jobs.h"

#include <array>
#include <map>

#include "slurm/queue_rows.h"
#include "slurm/table.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/memory.h"
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
  kNodes,
  kUser,
  kAccount,
  kQos,
  kPartition,
  kTres,
  kFields
};
constexpr std::array<std::string_view, kFields> kNames = {
    "JobID",    "ArrayJobID", "ArrayTaskID", "State", "Reason",    "StartTime", "EndTime",
    "NodeList", "UserName",   "Account",     "QOS",   "Partition", "tres-alloc"};

TresVector read_tres(std::string_view text, const TresRegistry& registry) {
  TresVector out;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    const auto tres = registry.find(item.substr(0, equals));
    if (!tres) continue;
    const std::string_view amount = item.substr(equals + 1);
    if (*tres == kTresMem)
      out[*tres] = parse_printed_memory_mb(amount).value_or(0);
    else
      out[*tres] = whole_number<std::int64_t>(amount).value_or(0);
  }
  return out;
}

// What many rows have in common, by its text.
template <class Value>
class Known {
 public:
  template <class Read>
  const Value& get(std::string_view text, Read read) {
    const auto found = values_.find(text);
    if (found != values_.end()) return found->second;
    return values_.emplace(text, read(text)).first->second;
  }

 private:
  std::map<std::string_view, Value> values_;
};

}  // namespace

std::vector<std::string> queue_of_all_command() {
  return {"squeue", "--noheader", "--all",
          "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED,COMPLETING,SIGNALING,RESIZING",
          "--Format=" + squeue_format(kNames)};
}

HeldJobs parse_held_jobs(std::string_view text, const TresRegistry& registry) {
  HeldJobs out;
  const Records records = squeue_records(text, kFields);
  out.unreadable = records.unreadable;
  out.jobs.reserve(records.rows.size());
  Known<TresVector> tres;
  Known<std::vector<std::string>> nodes;
  for (const auto& row : records.rows) {
    const auto job = whole_number<std::uint32_t>(row[kJob]);
    const auto state = printed_state(row[kState]);
    if (!job || !state) {
      ++out.unreadable;
      continue;
    }
    HeldJob held;
    held.job = JobId(whole_number<std::uint32_t>(row[kArray]).value_or(*job));
    held.task = whole_number<std::uint32_t>(row[kTask]);
    if (!held.task && !is_absent(row[kTask]))
      if (const auto spec = parse_array_spec(row[kTask]); spec && !spec->indices.empty())
        held.tasks = static_cast<std::uint32_t>(spec->indices.size());
    held.user = row[kUser];
    held.account = or_empty(row[kAccount]);
    held.qos = or_empty(row[kQos]);
    held.partition = row[kPartition];
    held.state = *state;
    if (*state == JobState::kPending) held.reason = reason_word(row[kReason]);
    held.tres =
        tres.get(row[kTres], [&](std::string_view one) { return read_tres(one, registry); });
    if (holds_nodes(*state)) {
      held.start = printed_time(row[kStart]);
      held.ends_by = printed_time(row[kEnd]);
      if (!is_absent(row[kNodes]))
        held.nodes = nodes.get(row[kNodes], [](std::string_view list) {
          return expand_hostlist(list).value_or(std::vector<std::string>{});
        });
    }
    out.jobs.push_back(std::move(held));
  }
  return out;
}

}  // namespace sluice
