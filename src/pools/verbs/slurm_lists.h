// A Slurm cluster's queue and nodes as the rows that every face shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "views/rows.h"

namespace sluice {

// Arrays are one line, as the daemon has them.
Result<std::vector<QueueLine>> queue_of_slurm();
// The tasks of one array, or of all: those that wait are one line, each other one has its own.
Result<std::vector<QueueLine>> tasks_of_slurm(std::optional<JobId> array);
Result<std::vector<NodeLine>> nodes_of_slurm();
Result<std::vector<ReservationLine>> reservations_of_slurm();

// Where a job, or a task of an array, writes, as long as slurmctld remembers it.
struct SlurmOutput {
  std::string stdout_path;  // "" where it has none: an interactive job.
  std::string stderr_path;
  bool has_started = false;
};
Result<SlurmOutput> output_on_slurm(const std::string& job);
// Ends a job, an array or tasks of it: "12", "12_3", "12_[4-9]".
Result<void> cancel_on_slurm(const std::string& job);

}  // namespace sluice
