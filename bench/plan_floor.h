// The floor of a backfill cycle: jobs in order onto one dense timeline of free CPUs, a number a
// minute, nothing else known about them. Nothing but the benches uses it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace sluice::bench {

struct PlanJob {
  std::int32_t cpus;
  std::int32_t minutes;
};

// Returns how many were planned. With pruning, what asks for as much as something that found no
// place is not looked for.
enum class Pruning { kNo, kYes };

inline std::size_t plan_floor(const std::vector<PlanJob>& jobs, std::int32_t cpus,
                              std::size_t busy_minutes, std::size_t window, Pruning pruning) {
  std::vector<std::int32_t> free(window, cpus);
  std::fill(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(busy_minutes), 0);
  std::array<std::int32_t, 512> hopeless{};  // By CPUs: the shortest that found no place.
  hopeless.fill(std::numeric_limits<std::int32_t>::max());
  std::size_t planned = 0;
  std::size_t first_free = busy_minutes;
  for (const PlanJob& job : jobs) {
    const auto size = static_cast<std::size_t>(job.cpus);
    if (pruning == Pruning::kYes && job.minutes >= hopeless[size]) continue;
    while (first_free < window && free[first_free] == 0) ++first_free;
    const auto need = static_cast<std::size_t>(job.minutes);
    std::size_t run = 0;
    std::size_t at = first_free;
    // A plan may run beyond the window, as long as it begins inside.
    for (; at < window && run < need; ++at) run = free[at] >= job.cpus ? run + 1 : 0;
    if (run == 0 || (run < need && at < window)) {
      for (std::size_t i = size; i < hopeless.size() && hopeless[i] > job.minutes; ++i)
        hopeless[i] = job.minutes;
      continue;
    }
    for (std::size_t i = at - run; i < at; ++i) free[i] -= job.cpus;
    ++planned;
  }
  return planned;
}

}  // namespace sluice::bench
