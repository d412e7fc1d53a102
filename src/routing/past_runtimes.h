// How long a task takes on each device, by those of the same name that completed before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/time.h"
#include "cluster/past_run.h"

namespace sluice {

struct PastRuntime {
  Duration median{0};
  std::int64_t tasks = 0;
  friend bool operator==(const PastRuntime&, const PastRuntime&) = default;
};

struct PastRuntimes {
  std::optional<PastRuntime> gpu;
  std::optional<PastRuntime> cpu;
};

// Fewer than this say little.
inline constexpr std::int64_t kEnoughPastRuns = 3;

PastRuntimes past_runtimes(std::span<const PastRun> runs);

}  // namespace sluice
