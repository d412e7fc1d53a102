// What is submitted when, and how long it really runs: the input of a simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace sluice {

struct WorkItem {
  Instant submit;
  Duration run{0};              // To the end, if nobody stops it.
  std::uint32_t request = 0;    // Index into Workload::requests.
  std::uint32_t number = 0;     // In the trace.
  std::int64_t trace_line = 0;  // Where it stood, for messages.
};

struct Workload {
  std::string name;
  std::int32_t machine_cpus = 0;  // As the trace's header says; 0 where it does not.
  std::vector<JobSpec> requests;  // Shared by all items that ask for the same.
  std::vector<WorkItem> items;    // In order of submission.
  std::size_t skipped = 0;        // Lines without a size or a run time.
};

}  // namespace sluice
