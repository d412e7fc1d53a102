#include "slurm/queue_rows.h"

#include <fmt/format.h>

#include "slurm/squeue.h"
#include "slurm/table.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kAsked[] = {kArray,     kTask,  kState,     kReason,   kStart,    kEnd,
                                 kPreempted, kNodes, kPlanned,   kPriority, kRestarts, kUser,
                                 kAccount,   kQos,   kPartition, kCpus,     kTimeLimit};

std::vector<std::string> hosts(std::string_view text) {
  if (is_absent(text)) return {};
  return expand_hostlist(text).value_or(std::vector<std::string>{});
}

QueueRow row_of(const QueueRecord& record) {
  QueueRow row;
  row.job = record.job();
  row.array = record.array();
  row.task = record.task();
  row.state = record.state();
  row.reason = record[kReason];
  row.start = record.time(kStart);
  row.end = record.time(kEnd);
  row.preempted = record.time(kPreempted);
  row.nodes = hosts(record[kNodes]);
  row.planned = hosts(record[kPlanned]);
  row.priority = record.number(kPriority);
  row.restarts = record.number(kRestarts);
  row.user = record[kUser];
  row.account = record[kAccount];
  row.qos = record[kQos];
  row.partition = record[kPartition];
  row.cpus = record.number(kCpus);
  row.time_limit = record[kTimeLimit];
  return row;
}

}  // namespace

std::vector<std::string> squeue_command() {
  return squeue_command({"--all", "--array", "--states=all"}, kAsked);
}

Result<std::vector<QueueRow>> parse_queue_rows(std::string_view text) {
  std::vector<QueueRow> out;
  const QueueReading read =
      read_queue(text, kAsked, [&](const QueueRecord& record) { out.push_back(row_of(record)); });
  if (read.unreadable != 0)
    return failed(fmt::format("squeue printed {} records that cannot be read", read.unreadable));
  return out;
}

}  // namespace sluice
