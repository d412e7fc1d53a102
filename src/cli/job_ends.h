// How a job, or each task of an array, ended: what `wait`, `status`, `logs`, `rerun` and `each`
// tell of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/connection.h"
#include "model/index_set.h"
#include "views/rows.h"

namespace sluice {

struct TaskEnd {
  JobState state = JobState::kCompleted;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::uint32_t attempt = 0;
  Duration elapsed{0};

  // As a shell has it: 128 and the signal where one ended it.
  int status() const;
  std::string text() const;  // "FAILED (exit code 1)"
};

// The last run of each task; of a job that is no array, task 0.
struct JobEnds {
  std::uint32_t job = 0;
  bool is_array = false;
  std::string name;
  std::map<std::uint32_t, TaskEnd> tasks;
  // What went wrong outside the job, of the first task that did not complete.
  std::string went_wrong;

  IndexSet failed() const;  // All that ended other than well.
  int worst() const;
  // "98 completed, 2 failed", the states in their own order.
  std::string counts() const;
  // One line, and what to type next where tasks failed.
  std::string summary() const;
};
Result<JobEnds> ends_of(Connection& daemon, std::uint32_t job);

}  // namespace sluice
