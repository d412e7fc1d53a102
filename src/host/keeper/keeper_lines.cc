// Lines: runs that were ordered ahead of time take the place of the one before them at once.
//
// Between the end of a run and the daemon's next launch lies a commit, which takes as long as a
// short task. So the daemon writes down ahead which run follows, and the keeper hands the place on
// by itself. Whether one in line has started is decided here alone: it is over's `next`, or
// returned.
#include <utility>

#include "host/keeper/keeper_runs.h"

namespace sluice {

void KeeperRuns::queue_up(LaunchRun order) {
  const RunKey key = order.assignment.run;
  if (runs_.contains(key) || in_line_.contains(key)) return;
  if (was_here(key)) return;
  HeldRun* holder = find(*order.after);
  std::shared_ptr<RunLine> line;
  if (holder && holder->phase != RunPhase::kOver) {
    if (!holder->line) holder->line = std::make_shared<RunLine>();
    line = holder->line;
    if (line->empty()) {
      holder->return_at = std::chrono::steady_clock::now() + order.within;
      reschedule(*holder);
    }
  } else if (const auto before = in_line_.find(*order.after); before != in_line_.end()) {
    line = before->second;
  }
  if (!line || !line->open || quit_) return report(RunIsReturned{key}, Haste::kNow);
  line->within = order.within;
  line->waiting.push_back(std::move(order));
  line->enough = line->size() / 2;
  if (!line->ready && line->waiting.size() == 1) unready_.push_back(line);
  in_line_.emplace(key, std::move(line));
}

// What the next one needs is made while the one before it runs: between the two there is nothing
// left but to start it.
void KeeperRuns::get_ready() {
  for (const std::shared_ptr<RunLine>& line : std::exchange(unready_, {})) {
    if (line->ready || line->waiting.empty()) continue;
    LaunchRun& order = line->waiting.front();
    if (!order.assignment.prolog.empty() || is_refused(order.assignment)) continue;
    auto run = std::make_unique<HeldRun>();
    run->assignment = std::move(order.assignment);
    // CPUs of its own are those that the one before it has.
    const bool made =
        prepare(*run).has_value() && (run->assignment.own_cpus || enter_cage(*run).has_value());
    if (made) {
      line->ready = std::move(run);
      line->waiting.pop_front();
    } else {
      // Said when its turn has come.
      discard(*run);
      order.assignment = std::move(run->assignment);
    }
  }
}

bool KeeperRuns::leave_line(RunKey key) {
  const auto found = in_line_.find(key);
  if (found == in_line_.end()) return false;
  RunLine& line = *found->second;
  if (line.ready && line.ready->assignment.run == key) {
    discard(*line.ready);
    line.ready.reset();
    unready_.push_back(found->second);
  }
  std::erase_if(line.waiting, [&](const LaunchRun& it) { return it.assignment.run == key; });
  in_line_.erase(found);
  return true;
}

// Hands no place on from here on.
void KeeperRuns::return_line(HeldRun& run) {
  run.return_at.reset();
  if (!run.line) run.line = std::make_shared<RunLine>();
  run.line->open = false;
  if (const std::unique_ptr<HeldRun> ready = std::move(run.line->ready)) {
    discard(*ready);
    in_line_.erase(ready->assignment.run);
    report(RunIsReturned{ready->assignment.run}, Haste::kNow);
  }
  for (const LaunchRun& it : std::exchange(run.line->waiting, {})) {
    in_line_.erase(it.assignment.run);
    report(RunIsReturned{it.assignment.run}, Haste::kNow);
  }
}

// Before the books of the one before it are closed: no CPU waits for that.
void KeeperRuns::hand_on(HeldRun& run) {
  if (run.successor || !run.line || !run.line->ready || !run.assignment.epilog.empty()) return;
  if (run.failure && run.failure->stage != SpawnStage::kNone) return;
  HeldRun& next = *run.line->ready;
  if (!next.cage && run.cage) return;
  if (!next.cage && !enter_cage(next)) return;
  next.after = run.assignment.run;
  if (!fire(next)) return;
  run.successor = std::move(run.line->ready);
}

// The first of them, as it was ordered.
LaunchRun KeeperRuns::next_in_line(RunLine& line) {
  LaunchRun next;
  if (line.ready) {
    discard(*line.ready);
    next.assignment = std::move(line.ready->assignment);
    line.ready.reset();
  } else {
    next = std::move(line.waiting.front());
    line.waiting.pop_front();
  }
  in_line_.erase(next.assignment.run);
  return next;
}

// The run that has taken the place is held like any other.
void KeeperRuns::follow(const std::shared_ptr<RunLine>& line, std::unique_ptr<HeldRun> next) {
  const RunKey key = next->assignment.run;
  in_line_.erase(key);
  HeldRun& run = *runs_.insert_or_assign(key, std::move(next)).first->second;
  run.line = line;
  if (!line->empty()) {
    run.return_at = std::chrono::steady_clock::now() + line->within;
    unready_.push_back(line);
  }
  note_up(run);
}

void KeeperRuns::daemon_is_gone() {
  alone_ = true;
  for (auto& [key, run] : runs_) note_limit(*run);
  in_line_.clear();
  for (auto& [key, run] : runs_) {
    if (!run->line) continue;
    if (run->line->ready) discard(*run->line->ready);
    run->line->ready.reset();
    run->line->waiting.clear();
    run->return_at.reset();
    reschedule(*run);
  }
}

}  // namespace sluice
