// 50,000 rows are nothing unusual: equal texts are read once.
#include "slurm/held_jobs.h"

#include <map>

#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kAsked[] = {kArray, kTask, kState,   kReason, kStart,     kEnd,
                                 kNodes, kUser, kAccount, kQos,    kPartition, kTres};

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
  return squeue_command(
      {"--all",
       "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED,COMPLETING,SIGNALING,RESIZING"},
      kAsked);
}

HeldJobs parse_held_jobs(std::string_view text, const TresRegistry& registry) {
  HeldJobs out;
  Known<TresVector> tres;
  Known<std::vector<std::string>> nodes;
  QueueReading read = read_queue(text, kAsked, [&](const QueueRecord& record) {
    HeldJob held;
    held.job = JobId(record.array());
    held.task = record.task();
    if (!held.task && !is_absent(record[kTask]))
      if (const auto spec = parse_array_spec(record[kTask]); spec && !spec->indices.empty())
        held.tasks = static_cast<std::uint32_t>(spec->indices.size());
    held.user = record[kUser];
    held.account = or_empty(record[kAccount]);
    held.qos = or_empty(record[kQos]);
    held.partition = record[kPartition];
    held.state = record.state();
    if (held.state == JobState::kPending) held.reason = record.reason();
    held.tres =
        tres.get(record[kTres], [&](std::string_view one) { return read_tres(one, registry); });
    if (holds_nodes(held.state)) {
      held.start = record.time(kStart);
      held.ends_by = record.time(kEnd);
      if (!is_absent(record[kNodes]))
        held.nodes = nodes.get(record[kNodes], [](std::string_view list) {
          return expand_hostlist(list).value_or(std::vector<std::string>{});
        });
    }
    out.jobs.push_back(std::move(held));
  });
  out.unreadable = read.unreadable;
  out.missing = std::move(read.missing);
  return out;
}

}  // namespace sluice
