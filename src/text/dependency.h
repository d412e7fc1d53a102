// Dependencies: "afterok:1:2,afternotok:3", "afterany:4?afterok:5", "after:12+5", "singleton".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// As slurmctld takes --dependency: a job alone is afterany; one '?' anywhere makes every separator
// mean "or" (Slurm does that although its manual forbids to mix them); doubles are dropped. 12_* is
// the whole array 12. A delay holds for its own job only. Empty text is no dependency.
Result<Dependencies> parse_dependencies(std::string_view text);

// For --dependency: "afterok:1,afterok:2".
std::string format_dependencies(const Dependencies& dependencies);

enum class DependencyStatus : std::uint8_t { kUnfulfilled, kFulfilled, kFailed };
// As squeue's %E and scontrol show it: "afterok:1(unfulfilled),afterok:2(failed)"; what is
// fulfilled is no longer shown. One status for each term.
std::string format_dependency_states(const Dependencies& dependencies,
                                     std::span<const DependencyStatus> statuses);

}  // namespace sluice
