// From a process that has ended to a report that the daemon can write down.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "host/keeper/keeper_runs.h"
#include "host/keeper/last_words.h"
#include "host/keeper/warden.h"
#include "host/machine/clock.h"

namespace sluice {
namespace {

// A process that SIGKILL does not end within this time hangs in the kernel; Slurm's
// UnkillableStepTimeout.
constexpr auto kUnkillableAfter = std::chrono::seconds(60);
constexpr auto kLookAgainAfter = std::chrono::milliseconds(10);
constexpr Duration kLongestMeasureGap = seconds(30);

std::string failed_stage(const SpawnFailure& failure, const Assignment& it) {
  const char* why = std::strerror(failure.error);
  switch (failure.stage) {
    case SpawnStage::kNone:
      return {};
    case SpawnStage::kCage:
      return fmt::format("it could not be put into its cgroup: {}", why);
    case SpawnStage::kLimits:
      return fmt::format("its limits could not be set: {}", why);
    case SpawnStage::kIdentity:
      return fmt::format("it could not be run as user {}: {}", it.identity.user, why);
    case SpawnStage::kInput:
      return fmt::format("{} cannot be read: {}", it.stdin_path, why);
    case SpawnStage::kOutput:
      return fmt::format("the output cannot be written to {}{}{}: {}", it.stdout_path,
                         it.stderr_path.empty() ? "" : " or ", it.stderr_path, why);
    case SpawnStage::kExec:
      return fmt::format("{} cannot be run: {}",
                         it.program.empty() ? "the script's interpreter" : it.program, why);
  }
  return {};
}

}  // namespace

void KeeperRuns::reap() {
  bool orphan_ended = false;
  for (;;) {
    siginfo_t info{};
    rusage used{};
    const pid_t pid = peek_at_child(info, used);
    if (pid <= 0) break;
    const int status = wait_status(info);
    const auto found = leaders_.find(pid);
    const Instant ended = boot_time();
    // Noted first: until it is waited for, the kernel knows too.
    if (found != leaders_.end() && runs_.at(found->second)->phase == RunPhase::kUp)
      log_.write(ProcessEnded{pid, status, cpu_time_of(used), used.ru_maxrss, ended});
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    if (found == leaders_.end()) {
      orphan_ended = true;
      continue;
    }
    HeldRun& run = *runs_.at(found->second);
    if (run.phase == RunPhase::kUp) run.ended = ended;
    leaders_.erase(found);
    if (run.phase == RunPhase::kUp) {
      leader_ended(run, status, used);
    } else {
      hook_ended(run, status);
    }
  }
  if (!orphan_ended) return;
  std::vector<RunKey> clearing;
  for (const auto& [at, key] : due_) {
    if (runs_.at(key)->check_at) clearing.push_back(key);
  }
  for (const RunKey key : clearing) {
    HeldRun& run = *runs_.at(key);
    run.phase == RunPhase::kClearing ? clear_rest(run) : clear_hook(run);
  }
}

void KeeperRuns::leader_ended(HeldRun& run, int status, const rusage& used) {
  run.status = status;
  run.cpu_time = cpu_time_of(used);
  run.max_rss_kb = std::max<std::int64_t>(run.max_rss_kb, used.ru_maxrss);
  settle(run);
  run.cage->leader_gone();
  run.phase = RunPhase::kClearing;
  run.kill_at.reset();
  run.measure_at.reset();
  run.limit_at.reset();
  clear_rest(run);
}

void KeeperRuns::clear_rest(HeldRun& run) {
  if (run.phase != RunPhase::kClearing) return;
  const bool empty = run.cage->empty();
  if (empty) hand_on(run);
  if (!empty && looks_again(run)) return;
  if (!empty) run.why = "processes of it that cannot be killed were left behind";
  const CageUse use = run.cage->final_use();
  if (use.cpu_time) run.cpu_time = std::max(run.cpu_time, *use.cpu_time);
  run.over_memory = run.over_memory || use.oom_kills > 0;
  if (use.oom_kills > 0) say_out_of_memory(run, use.oom_kills);
  leave_cage(run);
  if (empty) hand_on(run);
  reschedule(run);
  if (run.assignment.epilog.empty()) return finish(run);
  run.phase = RunPhase::kEpilog;
  // The first failure is the one that counts.
  const SpawnFailure first = run.failure ? *run.failure : SpawnFailure{};
  if (first.stage != SpawnStage::kNone) run.why = failed_stage(first, run.assignment);
  if (auto started = start_hook(run, run.assignment.epilog); !started) {
    if (run.why.empty()) run.why = started.error().text();
    finish(run);
  }
}

// Where people look for why, in Slurm's words.
void KeeperRuns::say_out_of_memory(HeldRun& run, std::uint64_t kills) {
  const Assignment& it = run.assignment;
  const std::string words = fmt::format(
      "slurmstepd-{}: error: Detected {} oom-kill event(s) in StepId={}.batch. Some of your "
      "processes may have been killed by the cgroup out-of-memory handler.\n",
      it.node, kills, it.run.job.value());
  if (it.capture) {
    close_output(run);
    store_.add(it.run, words);
  } else {
    append_last_words(it.stderr_path.empty() ? it.stdout_path : it.stderr_path, it.identity, words,
                      patience_);
  }
}

bool KeeperRuns::looks_again(HeldRun& run) {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (run.cage->empty() || (run.gave_up && now >= *run.gave_up)) return false;
  if (!run.gave_up) run.gave_up = now + kUnkillableAfter;
  run.cage->kill();
  run.check_at = now + kLookAgainAfter;
  reschedule(run);
  return true;
}

// One that is not empty, or could not be entered, is not used again.
void KeeperRuns::leave_cage(HeldRun& run) {
  const bool entered = !run.failure || run.failure->stage != SpawnStage::kCage;
  if (entered && run.cage->empty()) cages_->give_back(std::move(run.cage));
  run.cage.reset();
  if (!entered) cages_->distrust_idle();
  run.check_at.reset();
  run.gave_up.reset();
}

void KeeperRuns::close_output(HeldRun& run) {
  if (run.output < 0) return;
  read_output(run.assignment.run);
  if (run.output < 0) return;
  stop_watching(run);
}

void KeeperRuns::stop_watching(HeldRun& run) {
  if (std::exchange(run.watched, false)) wires_.unwatch(run.output);
  ::close(std::exchange(run.output, -1));
}

void KeeperRuns::read_output(RunKey key) {
  HeldRun* run = find(key);
  if (!run || run->output < 0) return;
  char bytes[65536];
  // One run that never stops talking must not keep the others waiting. When its processes are gone,
  // a pipe full of words may be left; its owner may have opened the pipe elsewhere and write on.
  ssize_t left = 1;
  if (run->phase != RunPhase::kUp) left = std::max(::fcntl(run->output, F_GETPIPE_SZ), 1);
  while (left > 0) {
    const ssize_t count = ::read(run->output, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    if (count == 0) return stop_watching(*run);
    store_.add(key, std::string_view(bytes, static_cast<std::size_t>(count)));
    left -= count;
  }
}

void KeeperRuns::finish(HeldRun& run) {
  const RunKey key = run.assignment.run;
  close_output(run);
  RunIsOver over;
  over.run = key;
  over.ended = run.ended;
  over.output = store_.finish(key);
  over.why = run.why;
  Outcome& outcome = over.outcome;
  outcome.max_rss_kb = run.max_rss_kb;
  outcome.cpu_time = run.cpu_time;
  if (WIFEXITED(run.status)) outcome.exit_code = WEXITSTATUS(run.status);
  if (WIFSIGNALED(run.status)) outcome.signal = WTERMSIG(run.status);
  outcome.state =
      outcome.exit_code == 0 && outcome.signal == 0 ? JobState::kCompleted : JobState::kFailed;
  const SpawnFailure failure = run.failure ? *run.failure : SpawnFailure{};
  if (failure.stage != SpawnStage::kNone && run.assignment.epilog.empty()) {
    over.why = failed_stage(failure, run.assignment);
  }
  if (failure.stage == SpawnStage::kInput || failure.stage == SpawnStage::kOutput) {
    outcome.exit_code = 0;
    outcome.signal = kOutputSignal;
  } else if (failure.stage == SpawnStage::kCage || failure.stage == SpawnStage::kLimits ||
             failure.stage == SpawnStage::kIdentity) {
    outcome.state = JobState::kNodeFail;
  } else if (run.over_memory) {
    // Whatever its exit code: Slurm says 0:125.
    outcome.state = JobState::kOutOfMemory;
    outcome.exit_code = 0;
    outcome.signal = 125;
  }
  if (!run.script_path.empty()) spool_.let_go(run.script_path);
  if (run.failure) free_failures_.push_back(std::exchange(run.failure, nullptr));
  run.kill_at.reset();
  run.measure_at.reset();
  run.check_at.reset();
  run.hook_ends.reset();
  run.leader = 0;
  run.phase = RunPhase::kOver;
  run.return_at.reset();
  reschedule(run);
  std::optional<LaunchRun> next;
  if (outcome.state == JobState::kNodeFail) {
    return_line(run);
  } else if (!run.successor && run.line && !run.line->empty()) {
    next = next_in_line(*run.line);
  }
  if (run.successor) over.next = run.successor->assignment.run;
  if (next) over.next = next->assignment.run;
  run.over = over;
  const std::shared_ptr<RunLine> line = std::move(run.line);
  const bool enough = over.next && line->size() >= line->enough;
  report(run.over, enough ? Haste::kSoon : Haste::kNow);
  if (run.successor) follow(line, std::move(run.successor));
  if (next) launch(std::move(next->assignment), line);
}

void KeeperRuns::fail_early(HeldRun& run, std::string why, JobState as) {
  discard(run);
  run.why = std::move(why);
  run.phase = RunPhase::kOver;
  run.over =
      RunIsOver{run.assignment.run, Outcome{as, 0, 0, 0, Duration(0)}, boot_time(), run.why, {}};
  run.assignment.script = {};
  run.assignment.environment = {};
  return_line(run);
  reschedule(run);
  report(run.over, Haste::kNow);
}

void KeeperRuns::measure(HeldRun& run, SteadyTime now) {
  run.measure_at.reset();
  if (run.phase != RunPhase::kUp) return;
  if (run.launching && !run.launching->stack.in_use()) settle(run);
  if (run.output >= 0 && !run.watched) {
    run.watched = true;
    wires_.watch(run.output, run.assignment.run);
    run.measure_at = now + run.measure_every;
    return;
  }
  const CageUse use = run.cage->use();
  const std::int64_t kb = use.memory_kb.value_or(0);
  run.memory_kb = kb;
  run.max_rss_kb = std::max(run.max_rss_kb, kb);
  const bool guarded = cages_->measures_memory() && run.assignment.memory_mb > 0;
  if (guarded && kb > run.assignment.memory_mb * 1024) {
    run.over_memory = true;
    run.cage->kill();
  }
  if (cages_->measures_memory() && !is_of_a_job(run.assignment.run)) bound_errands();
  // Where the kernel guards the limit, looking is only for the record.
  if (!guarded) run.measure_every = std::min(run.measure_every * 2, kLongestMeasureGap);
  run.measure_at = now + run.measure_every;
}

// As the kernel would where it counts: the largest of them goes.
void KeeperRuns::bound_errands() {
  HeldRun* largest = nullptr;
  std::int64_t together = 0;
  for (const auto& [key, run] : runs_) {
    if (is_of_a_job(key) || run->phase != RunPhase::kUp) continue;
    together += run->memory_kb;
    if (!largest || run->memory_kb > largest->memory_kb) largest = run.get();
  }
  if (!largest || together <= errands_kb_) return;
  largest->over_memory = true;
  largest->cage->kill();
}

}  // namespace sluice
