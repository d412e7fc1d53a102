#include "slurm/queued_request.h"

#include <algorithm>

#include "slurm/table.h"
#include "text/constraint.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/printed_tres.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum QueueField;

void put_amounts(const PrintedTres& amounts, bool gpus_per_node, JobSpec& spec) {
  const std::int64_t nodes = std::max<std::int64_t>(1, amounts.nodes.value_or(1));
  spec.min_nodes = spec.max_nodes = static_cast<std::int32_t>(nodes);
  if (const std::int64_t memory = amounts.memory_mb.value_or(0); memory > 0)
    spec.memory = MemoryRequest{MemoryPer::kNode, (memory + nodes - 1) / nodes};
  const std::int64_t gpus = amounts.gpus.value_or(0);
  if (gpus <= 0) return;
  spec.gpus.push_back(
      gpus_per_node
          ? GpuRequest{GpusPer::kNode, amounts.gpu_type, static_cast<std::int32_t>(gpus / nodes)}
          : GpuRequest{GpusPer::kJob, amounts.gpu_type, static_cast<std::int32_t>(gpus)});
}

}  // namespace

JobSpec request_of(const QueueRecord& record) {
  JobSpec spec;
  spec.user = record[kUser];
  spec.account = or_empty(record[kAccount]);
  spec.qos = or_empty(record[kQos]);
  for (const std::string_view name : split(record[kPartition], ','))
    spec.partitions.emplace_back(name);
  spec.tasks = static_cast<std::int32_t>(whole_number(record[kTasks]).value_or(1));
  spec.cpus_per_task = static_cast<std::int32_t>(whole_number(record[kCpusPerTask]).value_or(1));
  const auto limit = parse_duration(record[kTimeLimit]);
  if (limit && limit->duration)
    spec.time_limit = limit->duration;
  else
    spec.no_time_limit = true;
  put_amounts(read_printed_tres(record[kTres]), !is_absent(record[kTresPerNode]), spec);
  if (!is_absent(record[kFeatures]))
    if (auto features = parse_constraint(record[kFeatures])) spec.constraint = std::move(*features);
  if (!is_absent(record[kRequiredNodes]))
    if (auto nodes = expand_hostlist(record[kRequiredNodes]))
      spec.require_nodes = std::move(*nodes);
  if (record[kOverSubscribe] == "NO") spec.sharing = NodeSharing::kExclusive;
  if (record[kOverSubscribe] == "YES") spec.sharing = NodeSharing::kOversubscribe;
  if (record[kOverSubscribe] == "USER") spec.sharing = NodeSharing::kUser;
  spec.reservation = or_empty(record[kReservation]);
  spec.nice = record.number(kNice);
  return spec;
}

}  // namespace sluice
