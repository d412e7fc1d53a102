// A step: the tasks that srun runs inside a job, in the cage that srun itself is in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"
#include "shims/shim.h"
#include "shims/step_layout.h"
#include "views/record_line.h"

namespace sluice {

struct StepPlan {
  std::vector<std::string> command;
  std::vector<std::vector<std::string>> commands;  // --multi-prog: of each task.
  std::int32_t tasks = 1;
  std::optional<std::int32_t> cpus_per_task;
  std::string name;
  bool named = false;  // By --job-name.
  std::string line;    // The command line that asked for it.
  std::string in;      // "", "none", "all", a task's number, or a file.
  std::string out;     // "", "none", "all", or a file with patterns.
  std::string err;
  std::string folder;
  bool label = false;
  bool append = false;
  bool kill_on_bad_exit = false;
  bool quiet = false;
  bool attached = false;  // To an srun outside, whose signals come to the tasks as they are.
  bool outside = false;   // The job's other processes are elsewhere: it ends when the job does.
  std::optional<Duration> limit;
  std::optional<Duration> wait;    // After the first task's end; then the others end too.
  std::optional<TaskOrder> order;  // --distribution
  std::optional<std::int64_t> gpus_per_task;  // Each task sees its own.
  StepAsk ask;                                // What it wants of its job.
  std::int64_t cpus = 1;                      // Of its tasks.
  bool overlaps = false;                 // It starts beside any other and keeps nothing from them.
  std::optional<Duration> patience;      // --immediate: how long it waits for room.
  std::vector<std::string> environment;  // NAME=value for every task, over this process's.
  bool clean_environment = false;        // --export=NONE
};

// Runs it to its end; the highest exit status of the tasks, 128 and the signal where one was
// ended so. What srun says of tasks that failed is printed to standard error.
int run_step(EngineDoor& engine, const StepPlan& plan);

}  // namespace sluice
