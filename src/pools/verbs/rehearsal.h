// The rehearsals of chains: arrays whose tasks' fates are known beforehand.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sluice {

struct Rehearsal {
  std::string_view name;
  std::uint32_t tasks = 0;
  std::string_view variables;  // For the job: "BEHAVIOUR=quick", or "".
  std::uint32_t fail = 0;      // So many end with an error of their own.
  std::int64_t minutes =
      0;  // It takes about so long on the cluster that this machine pretends to be.
  std::string_view what;
};

std::span<const Rehearsal> rehearsals();
const Rehearsal* find_rehearsal(std::string_view name);

// The job's script: examples/jobs/variable-job.sh.
extern const std::string_view kRehearsalJob;

// The levels of four, each with twice the memory and time of the one before; a minute is so long.
std::string rehearsal_ladder(Duration minute, std::string_view partitions);
// A cluster of eighteen nodes that this machine pretends to be; for thousands of tasks, so many
// times eighteen.
std::string rehearsal_policy(Duration minute, std::uint32_t tasks);

}  // namespace sluice
