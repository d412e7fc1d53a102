// Time limits while no daemon is there: they do not stop because the daemon did.

#include <algorithm>

#include "host/keeper/keeper_runs.h"
#include "host/machine/clock.h"

namespace sluice {

void KeeperRuns::note_limit(HeldRun& run) {
  run.limit_at.reset();
  const Duration limit = run.assignment.time_limit;
  if (alone_ && run.phase == RunPhase::kUp && !run.paused && limit > Duration(0)) {
    const Instant ends = run.started + limit + run.paused_for;
    // No farther away than the kernel's clock can count.
    constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);
    const Duration left = std::clamp(ends - boot_time(), Duration(0), kLongest);
    run.limit_at = std::chrono::steady_clock::now() + left;
  }
  reschedule(run);
}

void KeeperRuns::change_limit(const LimitRun& order) {
  HeldRun* run = find(order.run);
  if (!run || run->phase == RunPhase::kOver) return;
  run->assignment.time_limit = order.time_limit;
  note_limit(*run);
}

void KeeperRuns::note_pause(HeldRun& run, bool paused) {
  if (run.paused == paused) return;
  const Instant now = boot_time();
  if (paused)
    run.paused_at = now;
  else
    run.paused_for += now - run.paused_at;
  run.paused = paused;
  note_limit(run);
}

void KeeperRuns::daemon_is_here() {
  alone_ = false;
  for (auto& [key, run] : runs_) note_limit(*run);
}

}  // namespace sluice
