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

}  // namespace sluice
