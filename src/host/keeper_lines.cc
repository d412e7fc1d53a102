// Lines: runs that were ordered ahead of time take the place of the one before them at once.
//
// Between the end of a run and the daemon's next launch lies a commit, which takes as long as a
// short task. So the daemon writes down ahead who follows, and the keeper hands the place on by
// itself. Whether one in line has started is decided here alone: it is over's `next`, or returned.
#include <utility>

#include "host/keeper_runs.h"

namespace sluice {

void KeeperRuns::queue_up(LaunchRun order) {
  const RunKey key = order.assignment.run;
  if (runs_.contains(key) || in_line_.contains(key)) return;
  const auto last = last_attempt_.find(key.job);
  if (last != last_attempt_.end() && last->second >= key.attempt) return;
  HeldRun* holder = find(*order.after);
  std::shared_ptr<RunLine> line;
  if (holder && holder->phase != RunPhase::kOver) {
    if (!holder->line) holder->line = std::make_shared<RunLine>();
    line = holder->line;
    if (line->waiting.empty()) {
      holder->return_at = std::chrono::steady_clock::now() + order.within;
      reschedule(*holder);
    }
  } else if (const auto before = in_line_.find(*order.after); before != in_line_.end()) {
    line = before->second;
  }
  if (!line || !line->open || quit_) return wires_.report(RunIsReturned{key}, Haste::kNow);
  line->waiting.push_back(std::move(order));
  line->enough = line->waiting.size() / 2;
  in_line_.emplace(key, std::move(line));
}

bool KeeperRuns::leave_line(RunKey key) {
  const auto found = in_line_.find(key);
  if (found == in_line_.end()) return false;
  std::erase_if(found->second->waiting,
                [&](const LaunchRun& it) { return it.assignment.run == key; });
  in_line_.erase(found);
  return true;
}

// Hands on to nobody from here on.
void KeeperRuns::return_line(HeldRun& run) {
  run.return_at.reset();
  if (!run.line) run.line = std::make_shared<RunLine>();
  run.line->open = false;
  for (const LaunchRun& it : std::exchange(run.line->waiting, {})) {
    in_line_.erase(it.assignment.run);
    wires_.report(RunIsReturned{it.assignment.run}, Haste::kNow);
  }
}

std::optional<LaunchRun> KeeperRuns::next_in_line(const HeldRun& run) {
  if (!run.line || run.line->waiting.empty()) return std::nullopt;
  LaunchRun next = std::move(run.line->waiting.front());
  run.line->waiting.pop_front();
  in_line_.erase(next.assignment.run);
  return next;
}

void KeeperRuns::daemon_is_gone() {
  in_line_.clear();
  for (auto& [key, run] : runs_) {
    if (!run->line) continue;
    run->line->waiting.clear();
    run->return_at.reset();
    reschedule(*run);
  }
}

}  // namespace sluice
