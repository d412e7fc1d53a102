// From an assignment to a running process.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "host/keeper/keeper_runs.h"
#include "host/machine/clock.h"

namespace sluice {
namespace {

constexpr auto kWatchAfter = std::chrono::milliseconds(5);
// A child that has not run its program by then waits for something that may never come.
constexpr auto kHangsAfter = std::chrono::milliseconds(1000);

const char* path_or_none(const std::string& path) { return path.empty() ? nullptr : path.c_str(); }

}  // namespace

void KeeperRuns::launch(Assignment assignment, std::shared_ptr<RunLine> line) {
  const RunKey key = assignment.run;
  if (runs_.contains(key)) return;
  // It need not wait in line any more.
  leave_line(key);
  if (was_here(key)) return;
  HeldRun& run = *runs_.emplace(key, std::make_unique<HeldRun>()).first->second;
  run.assignment = std::move(assignment);
  run.line = std::move(line);
  if (run.line && !run.line->empty()) {
    run.return_at = std::chrono::steady_clock::now() + run.line->within;
    unready_.push_back(run.line);
  }
  run.started = boot_time();
  if (is_refused(run.assignment)) {
    return fail_early(run, fmt::format("jobs of user {} need a daemon that runs as root",
                                       run.assignment.identity.user));
  }
  if (quit_) return fail_early(run, std::string(kKeeperEnds));
  if (run.assignment.prolog.empty()) return start_leader(run);
  if (auto started = start_hook(run, run.assignment.prolog); !started)
    fail_early(run, started.error().text(), JobState::kBootFail);
}

bool KeeperRuns::is_refused(const Assignment& assignment) const {
  return own_user_ != 0 && assignment.identity.uid != own_user_;
}

void KeeperRuns::start_leader(HeldRun& run) {
  auto started = enter_cage(run);
  if (started) started = prepare(run);
  if (started) started = fire(run);
  if (!started) return fail_early(run, started.error().text());
  note_up(run);
}

Result<void> KeeperRuns::enter_cage(HeldRun& run) {
  TRY(run.cage, cages_->take(run.assignment));
  return {};
}

Result<void> KeeperRuns::prepare(HeldRun& run) {
  const Assignment& it = run.assignment;
  if (free_failures_.empty()) return failed("too many jobs run at once");
  if (free_launchings_.empty()) free_launchings_.push_back(std::make_unique<Launching>());
  run.launching = std::move(free_launchings_.back());
  free_launchings_.pop_back();
  Launching& with = *run.launching;
  with.arguments.clear();
  with.environment.clear();
  with.program = it.program;
  if (!it.script.empty()) {
    auto path = spool_.take(it.script, it.identity.uid, it.identity.gid);
    if (!path) return tl::unexpected(path.error());
    run.script_path = std::move(*path);
    with.interpreter = interpreter_of(it.script);
    const Interpreter& interpreter = with.interpreter;
    with.program = interpreter.program.empty() ? run.script_path : interpreter.program;
    if (!interpreter.program.empty()) with.arguments.add(interpreter.program);
    if (!interpreter.argument.empty()) with.arguments.add(interpreter.argument);
    with.arguments.add(run.script_path);
  } else {
    with.arguments.add(with.program);
  }
  for (const std::string& argument : it.arguments) with.arguments.add(argument);
  with.run_mark = "SLUICE_RUN=" + to_text(it.run);
  with.task_pid = "SLURM_TASK_PID=00000000000";
  with.environment.add_block(it.environment);
  with.environment.add(with.run_mark);
  with.environment.add(keeper_mark_);
  const bool is_job = is_of_a_job(it.run);
  if (is_job) with.environment.add(with.task_pid);

  int pipe[2] = {-1, -1};
  if (it.capture && ::pipe2(pipe, O_CLOEXEC) != 0) {
    return failed(fmt::format("no pipe could be made: {}", std::strerror(errno)));
  }
  run.output = pipe[0];
  run.output_end = pipe[1];
  if (run.output >= 0) ::fcntl(run.output, F_SETFL, O_NONBLOCK);
  run.failure = free_failures_.back();
  free_failures_.pop_back();
  *run.failure = SpawnFailure{};

  SpawnPlan& plan = with.plan;
  plan = SpawnPlan{};
  plan.program = with.program.c_str();
  plan.arguments = with.arguments.finish();
  plan.environment = with.environment.finish();
  if (is_job) plan.pid_digits = with.task_pid.data() + std::strlen("SLURM_TASK_PID=");
  plan.working_directory = path_or_none(it.working_directory);
  plan.in = path_or_none(it.stdin_path);
  plan.out = path_or_none(it.stdout_path);
  plan.err = path_or_none(it.stderr_path);
  plan.out_descriptor = run.output_end;
  plan.append = it.append;
  if (it.identity.uid != own_user_) become(plan, it.identity);
  if (it.umask) plan.umask = static_cast<int>(*it.umask);
  plan.limits = it.limits.data();
  plan.limit_count = it.limits.size();
  plan.open_files = open_files_;
  plan.most_open_files = most_open_files_;
  plan.nothing = nothing_;
  plan.failure = run.failure;
  return {};
}

Result<void> KeeperRuns::fire(HeldRun& run) {
  SpawnPlan& plan = run.launching->plan;
  plan.cage = run.cage->entry();
  run.started = boot_time();
  const RunKey key = run.assignment.run;
  log_.write(RunBegins{key, run.after, run.started});
  const pid_t pid = spawn(plan, run.launching->stack);
  const int error = errno;
  if (pid < 0) log_.write(RunSettled{key});
  if (pid < 0) return failed(fmt::format("no process could be made: {}", std::strerror(error)));
  log_.write(RunHasProcess{key, pid});
  if (run.assignment.output_room)
    store_.begin(key, run.assignment.identity.uid, *run.assignment.output_room);
  run.leader = pid;
  return {};
}

void KeeperRuns::note_up(HeldRun& run) {
  const RunKey key = run.assignment.run;
  // The child has a copy of its own.
  if (run.output_end >= 0) ::close(std::exchange(run.output_end, -1));
  run.phase = RunPhase::kUp;
  leaders_.emplace(run.leader, key);
  run.cage->started(run.leader);
  // Long texts are needed no more: the script is in its file.
  run.assignment.script = {};
  run.measure_every = std::chrono::seconds(1);
  // A quick run has ended before its pipe is full: only those that last are worth watching.
  run.measure_at = std::chrono::steady_clock::now() +
                   (run.output >= 0 ? kWatchAfter : std::chrono::milliseconds(1000));
  reschedule(run);
  report(RunIsUp{key, run.leader, run.started}, Haste::kSomeTime);
}

void KeeperRuns::discard(HeldRun& run) {
  settle(run);
  if (run.cage) cages_->give_back(std::move(run.cage));
  run.cage.reset();
  for (int* end : {&run.output, &run.output_end}) {
    if (*end >= 0) ::close(std::exchange(*end, -1));
  }
  if (!run.script_path.empty()) spool_.let_go(std::exchange(run.script_path, {}));
  if (run.failure) free_failures_.push_back(std::exchange(run.failure, nullptr));
}

// Its first process runs its program, or is no more: what it came from is free for the next.
void KeeperRuns::settle(HeldRun& run) {
  if (!run.launching) return;
  run.launching->stack.wait();
  if (run.leader != 0) run.assignment.environment = {};
  free_launchings_.push_back(std::move(run.launching));
}

// An order is for the program, so its child is waited for; but once only: its file server may be
// dead, and others have orders too.
void KeeperRuns::settle_soon(HeldRun& run) {
  if (!run.launching) return;
  const auto patience = run.hangs ? std::chrono::milliseconds(0) : kHangsAfter;
  run.hangs = !run.launching->stack.wait_for(patience);
  if (!run.hangs) settle(run);
}

}  // namespace sluice
