// The median: one task that hung for a day does not decide.
#include "routing/past_runtimes.h"

#include <algorithm>
#include <vector>

namespace sluice {
namespace {

std::optional<PastRuntime> runtime_of(std::vector<Duration> times) {
  if (static_cast<std::int64_t>(times.size()) < kEnoughPastRuns) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return PastRuntime{std::max<Duration>(*middle, seconds(1)),
                     static_cast<std::int64_t>(times.size())};
}

}  // namespace

PastRuntimes past_runtimes(std::span<const PastRun> runs) {
  std::vector<Duration> gpu;
  std::vector<Duration> cpu;
  for (const PastRun& run : runs) (run.gpus > 0 ? gpu : cpu).push_back(run.time);
  return {runtime_of(std::move(gpu)), runtime_of(std::move(cpu))};
}

}  // namespace sluice
