// The variables that a task of a step has of its own, as slurmstepd 22.05 sets them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shims/step_layout.h"

namespace sluice {

struct StepFacts {
  const std::vector<StepNode>& nodes;
  std::int64_t tasks = 1;
  std::int64_t number = 0;  // Of the step.
  TaskOrder order = TaskOrder::kBlock;
  std::int64_t gpus_per_task = 0;  // 0: each task sees all GPUs of the step on its node.
  bool label = false;
};

struct TaskPlace {
  std::size_t node = 0;
  std::size_t local = 0;  // Among the tasks of that node.
};
// Where the task with this number runs.
TaskPlace place_of(const std::vector<StepNode>& nodes, std::uint32_t task);

// `job` looks up a variable of the job: its GPUs' names are found there.
using JobVariable = std::string (*)(const char* name);
std::vector<std::pair<std::string, std::string>> step_environment(const StepFacts& facts,
                                                                  std::uint32_t task,
                                                                  JobVariable job);

}  // namespace sluice
