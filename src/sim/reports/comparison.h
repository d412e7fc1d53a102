// A schedule held against another one, start by start.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/simulation.h"
#include "sim/workloads/workload.h"

namespace sluice {

struct DifferentStart {
  std::uint32_t number = 0;  // In the trace.
  Instant submit;
  Instant ours = SimulatedJob::kNever;
  Instant theirs = SimulatedJob::kNever;
};

struct Comparison {
  std::size_t compared = 0;
  std::size_t differing = 0;
  std::size_t only_ours = 0;          // Jobs the other schedule does not have.
  std::size_t only_theirs = 0;        // Jobs of the other schedule that were not simulated.
  std::vector<DifferentStart> first;  // In order of submission, ten at most.
  bool same() const { return differing == 0 && only_ours == 0 && only_theirs == 0; }
};

// `text` is SWF; its column 3 is the wait.
Result<Comparison> compare_with_swf(const Workload& workload, const Simulation& simulation,
                                    std::string_view text, std::string_view name);

}  // namespace sluice
