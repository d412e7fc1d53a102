// A job, or some tasks of one array, that wait for the same reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cluster/sighting.h"
#include "cluster/task_need.h"
#include "model/index_set.h"

namespace sluice {

struct WaitingTasks {
  RemoteJob job;
  std::optional<IndexSet> tasks;  // Nothing: no array.
  std::string name;
  std::string key;  // Of its submission, where it carries one.
  std::string account;
  std::string qos;
  std::vector<std::string> partitions;
  std::string reason;  // Slurm's word.
  Instant since;       // Of its submission.
  std::int64_t restarts = 0;
  std::optional<Instant> start;  // As the cluster expects it, or when its begin time comes.
  TaskNeed need;                 // Of each task.
  std::int64_t count() const { return tasks ? static_cast<std::int64_t>(tasks->size()) : 1; }
};

}  // namespace sluice
