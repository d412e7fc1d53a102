// Which task of a step runs on which of its nodes, as slurmctld deals them out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/step_share.h"

namespace sluice {

struct StepNode {
  std::string name;
  std::int64_t cpus = 0;           // What the step holds of it.
  std::vector<std::int64_t> gpus;  // Their numbers on the node.
  std::vector<std::uint32_t>
      tasks;  // Numbers in the step, in order; the place is the local number.
};

enum class TaskOrder : std::uint8_t {
  kBlock,   // Neighbours together on a node.
  kCyclic,  // One on each node in turn.
};

// Srun's own choice where --distribution says nothing.
TaskOrder default_task_order(std::int64_t tasks, std::size_t nodes);

// Every node has a task before any has two; then the CPUs of the nodes decide, and what is left
// goes round. No more nodes than tasks are expected.
std::vector<StepNode> lay_out_step(const std::vector<StepShare>& shares, std::int64_t tasks,
                                   std::int64_t cpus_per_task, TaskOrder order);

}  // namespace sluice
