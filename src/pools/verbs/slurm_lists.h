// A Slurm cluster's queue and nodes as the rows that every face shows.
#pragma once

#include <vector>

#include "base/result.h"
#include "views/rows.h"

namespace sluice {

// Arrays are one line, as the daemon has them.
Result<std::vector<QueueLine>> queue_of_slurm();
Result<std::vector<NodeLine>> nodes_of_slurm();
Result<std::vector<ReservationLine>> reservations_of_slurm();

}  // namespace sluice
