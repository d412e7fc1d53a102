// From an assignment to a running process.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "host/keeper_runs.h"

namespace sluice {
namespace {

constexpr auto kWatchAfter = std::chrono::milliseconds(5);

Instant wall_now() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

// The words of one command, and the pointers that execve wants.
class Words {
 public:
  void clear() { pointers_.clear(); }
  void add(const std::string& word) { pointers_.push_back(const_cast<char*>(word.c_str())); }
  void add_block(const std::string& block) {
    for (std::size_t at = 0; at < block.size();) {
      pointers_.push_back(const_cast<char*>(block.data() + at));
      const std::size_t end = block.find('\0', at);
      if (end == std::string::npos) break;  // The string's own NUL ends it.
      at = end + 1;
    }
  }
  char* const* finish() {
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<char*> pointers_;
};

const char* path_or_none(const std::string& path) { return path.empty() ? nullptr : path.c_str(); }

}  // namespace

void KeeperRuns::launch(Assignment assignment, std::shared_ptr<RunLine> line) {
  const RunKey key = assignment.run;
  if (runs_.contains(key)) return;
  // It need not wait in line any more.
  leave_line(key);
  const auto last = last_attempt_.find(key.job);
  if (last != last_attempt_.end() && last->second >= key.attempt) return;
  HeldRun& run = *runs_.emplace(key, std::make_unique<HeldRun>()).first->second;
  run.assignment = std::move(assignment);
  run.line = std::move(line);
  if (run.line && !run.line->waiting.empty())
    run.return_at = std::chrono::steady_clock::now() + run.line->waiting.front().within;
  run.started = wall_now();
  const std::uint32_t me = ::geteuid();
  if (me != 0 && run.assignment.identity.uid != me) {
    return fail_early(run, fmt::format("jobs of user {} need a daemon that runs as root",
                                       run.assignment.identity.user));
  }
  if (quit_) return fail_early(run, "the keeper is about to end");
  if (run.assignment.prolog.empty()) return start_leader(run);
  if (!start_hook(run, run.assignment.prolog)) {
    fail_early(run, fmt::format("the prolog {} cannot be run: {}", run.assignment.prolog,
                                std::strerror(errno)));
  }
}

void KeeperRuns::start_leader(HeldRun& run) {
  const Assignment& it = run.assignment;
  auto cage = cages_->take(it);
  if (!cage) return fail_early(run, cage.error().text());
  run.cage = std::move(*cage);
  if (free_failures_.empty()) return fail_early(run, "too many jobs run at once");

  static Words arguments;
  static Words environment;
  arguments.clear();
  environment.clear();
  Interpreter interpreter;
  std::string program = it.program;
  if (!it.script.empty()) {
    auto path = spool_.take(it.script, it.identity.uid, it.identity.gid);
    if (!path) return fail_early(run, path.error().text());
    run.script_path = std::move(*path);
    interpreter = interpreter_of(it.script);
    program = interpreter.program.empty() ? run.script_path : interpreter.program;
    if (!interpreter.program.empty()) arguments.add(interpreter.program);
    if (!interpreter.argument.empty()) arguments.add(interpreter.argument);
    arguments.add(run.script_path);
  } else {
    arguments.add(program);
  }
  for (const std::string& argument : it.arguments) arguments.add(argument);
  const std::string run_mark = "SLUICE_RUN=" + to_text(it.run);
  const std::string keeper_mark = "SLUICE_KEEPER=" + settings_.socket;
  std::string task_pid = "SLURM_TASK_PID=00000000000";
  environment.add_block(it.environment);
  environment.add(run_mark);
  environment.add(keeper_mark);
  environment.add(task_pid);

  int pipe[2] = {-1, -1};
  if (it.capture && ::pipe2(pipe, O_CLOEXEC) != 0) {
    return fail_early(run, fmt::format("no pipe could be made: {}", std::strerror(errno)));
  }
  run.failure = free_failures_.back();
  free_failures_.pop_back();
  *run.failure = SpawnFailure{};

  SpawnPlan plan;
  plan.program = program.c_str();
  plan.arguments = arguments.finish();
  plan.environment = environment.finish();
  plan.pid_digits = task_pid.data() + std::strlen("SLURM_TASK_PID=");
  plan.working_directory = path_or_none(it.working_directory);
  plan.in = path_or_none(it.stdin_path);
  plan.out = path_or_none(it.stdout_path);
  plan.err = path_or_none(it.stderr_path);
  plan.out_descriptor = pipe[1];
  plan.append = it.append;
  plan.identity = it.identity.uid != ::geteuid() ? &it.identity : nullptr;
  if (it.umask) plan.umask = static_cast<mode_t>(*it.umask);
  plan.limits = it.limits;
  plan.open_files = open_files_;
  plan.most_open_files = most_open_files_;
  plan.nothing = nothing_;
  plan.cage = run.cage->entry();
  plan.failure = run.failure;
  const pid_t pid = spawn(plan);
  const int error = errno;
  if (pipe[1] >= 0) ::close(pipe[1]);
  if (pid < 0) {
    if (pipe[0] >= 0) ::close(pipe[0]);
    return fail_early(run, fmt::format("no process could be made: {}", std::strerror(error)));
  }
  if (pipe[0] >= 0) {
    ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
    run.output = pipe[0];
  }
  run.leader = pid;
  run.phase = RunPhase::kUp;
  leaders_.emplace(pid, it.run);
  run.cage->started(pid);
  // Long texts are needed no more.
  run.assignment.script = {};
  run.assignment.environment = {};
  run.measure_every = std::chrono::seconds(1);
  // A quick run has ended before its pipe is full: only those that last are worth watching.
  run.measure_at = std::chrono::steady_clock::now() +
                   (run.output >= 0 ? kWatchAfter : std::chrono::milliseconds(1000));
  reschedule(run);
  wires_.report(RunIsUp{it.run, pid, run.started}, Haste::kSomeTime);
}

bool KeeperRuns::start_hook(HeldRun& run, const std::string& program) {
  if (free_failures_.empty()) return false;
  if (!run.failure) {
    run.failure = free_failures_.back();
    free_failures_.pop_back();
  }
  *run.failure = SpawnFailure{};
  const Assignment& it = run.assignment;
  // Nothing that the user chose: Slurm had holes there.
  std::string block = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  block += '\0';
  for (const auto& [name, value] :
       {std::pair<const char*, std::string>{"SLURM_JOB_ID", std::to_string(it.run.job.value())},
        {"SLURM_JOBID", std::to_string(it.run.job.value())},
        {"SLURM_JOB_UID", std::to_string(it.identity.uid)},
        {"SLURM_JOB_USER", it.identity.user},
        {"SLURM_JOB_GID", std::to_string(it.identity.gid)},
        {"SLURM_SCRIPT_CONTEXT",
         run.phase == RunPhase::kProlog ? "prolog_slurmd" : "epilog_slurmd"}}) {
    block += fmt::format("{}={}", name, value);
    block += '\0';
  }
  Words arguments;
  Words environment;
  arguments.add(program);
  environment.add_block(block);
  SpawnPlan plan;
  plan.program = program.c_str();
  plan.arguments = arguments.finish();
  plan.environment = environment.finish();
  plan.working_directory = "/";
  plan.open_files = open_files_;
  plan.most_open_files = most_open_files_;
  plan.nothing = nothing_;
  plan.failure = run.failure;
  const pid_t pid = spawn(plan);
  if (pid < 0) return false;
  run.leader = pid;
  leaders_.emplace(pid, it.run);
  if (it.prolog_limit.count() > 0) {
    run.hook_ends = std::chrono::steady_clock::now() + it.prolog_limit;
  }
  reschedule(run);
  return true;
}

void KeeperRuns::hook_ended(HeldRun& run, int status) {
  run.hook_ends.reset();
  const bool was_prolog = run.phase == RunPhase::kProlog;
  const bool told_to_end = run.kill_at.has_value() || (was_prolog && quit_);
  run.kill_at.reset();
  reschedule(run);
  if (status != 0 && run.why.empty()) {
    run.why = fmt::format("the {} {} {}", was_prolog ? "prolog" : "epilog",
                          was_prolog ? run.assignment.prolog : run.assignment.epilog,
                          run.failure && run.failure->stage == SpawnStage::kExec
                              ? fmt::format("cannot be run: {}", std::strerror(run.failure->error))
                          : WIFEXITED(status)
                              ? fmt::format("ended with exit code {}", WEXITSTATUS(status))
                              : fmt::format("was killed by signal {}", WTERMSIG(status)));
  }
  if (!was_prolog) return finish(run);
  if (told_to_end || !run.why.empty()) {
    return fail_early(run, std::exchange(run.why, {}));
  }
  start_leader(run);
}

}  // namespace sluice
