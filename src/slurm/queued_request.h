// What a job asks for, as a row of squeue says it.
#pragma once

#include "model/job.h"
#include "slurm/squeue.h"

namespace sluice {

// The fields that request_of reads. Amounts are read from the job's TRES, which say them in one way
// however they were asked for. Excluded nodes are not shown by every squeue and stay unknown.
inline constexpr QueueField kRequestFields[] = {
    QueueField::kUser,        QueueField::kAccount,       QueueField::kQos,
    QueueField::kPartition,   QueueField::kTasks,         QueueField::kCpusPerTask,
    QueueField::kTimeLimit,   QueueField::kTres,          QueueField::kTresPerNode,
    QueueField::kFeatures,    QueueField::kRequiredNodes, QueueField::kOverSubscribe,
    QueueField::kReservation, QueueField::kNice};

JobSpec request_of(const QueueRecord& record);

// "cpu=8,mem=48G,node=1,gres/gpu=1": memory in megabytes, everything else as it is counted.
struct QueuedAmounts {
  std::int64_t memory_mb = 0;
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  std::string gpu_type;
};
QueuedAmounts read_queued_amounts(std::string_view tres);

}  // namespace sluice
