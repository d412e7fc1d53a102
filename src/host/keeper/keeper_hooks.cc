// The policy's prolog and epilog: what runs as root before and after a run.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "host/keeper/keeper_runs.h"

namespace sluice {

Result<void> KeeperRuns::start_hook(HeldRun& run, const std::string& program) {
  const bool is_prolog = run.phase == RunPhase::kProlog;
  const auto cannot = [&](std::string_view why) {
    return failed(
        fmt::format("the {} {} cannot be run: {}", is_prolog ? "prolog" : "epilog", program, why));
  };
  if (!run.failure) {
    if (free_failures_.empty()) return cannot("too many jobs run at once");
    run.failure = free_failures_.back();
    free_failures_.pop_back();
  }
  *run.failure = SpawnFailure{};
  const Assignment& it = run.assignment;
  // The keeper's user's, and not bounded but in the number of its processes: it is the
  // administrator's. The cage says what is to end with it.
  Assignment caged;
  caged.run = it.run;
  caged.identity.uid = own_user_;
  auto cage = cages_->take(caged);
  if (!cage) return cannot(cage.error().text());
  run.cage = std::move(*cage);
  // Nothing that the user chose: Slurm had holes there.
  std::string block = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  block += '\0';
  for (const auto& [name, value] :
       {std::pair<const char*, std::string>{"SLURM_JOB_ID", std::to_string(it.run.job.value())},
        {"SLURM_JOBID", std::to_string(it.run.job.value())},
        {"SLURM_JOB_UID", std::to_string(it.identity.uid)},
        {"SLURM_JOB_USER", it.identity.user},
        {"SLURM_JOB_GID", std::to_string(it.identity.gid)},
        {"SLURM_SCRIPT_CONTEXT", is_prolog ? "prolog_slurmd" : "epilog_slurmd"},
        {"SLUICE_RUN", to_text(it.run)}}) {
    block += fmt::format("{}={}", name, value);
    block += '\0';
  }
  Words arguments;
  Words environment;
  arguments.add(program);
  environment.add_block(block);
  environment.add(keeper_mark_);
  SpawnPlan plan;
  plan.program = program.c_str();
  plan.arguments = arguments.finish();
  plan.environment = environment.finish();
  plan.working_directory = "/";
  plan.open_files = open_files_;
  plan.most_open_files = most_open_files_;
  plan.nothing = nothing_;
  plan.failure = run.failure;
  plan.cage = run.cage->entry();
  const pid_t pid = spawn(plan);
  if (pid < 0) {
    const int error = errno;
    leave_cage(run);
    return cannot(std::strerror(error));
  }
  run.cage->started(pid);
  run.leader = pid;
  leaders_.emplace(pid, it.run);
  if (it.prolog_limit.count() > 0) {
    run.hook_ends = std::chrono::steady_clock::now() + it.prolog_limit;
  }
  reschedule(run);
  return {};
}

void KeeperRuns::hook_ended(HeldRun& run, int status) {
  run.hook_ends.reset();
  run.leader = 0;
  run.hook_status = status;
  run.cage->leader_gone();
  clear_hook(run);
}

// The hook itself has ended; so does all that it started.
void KeeperRuns::clear_hook(HeldRun& run) {
  if (looks_again(run)) return;
  const bool was_prolog = run.phase == RunPhase::kProlog;
  const bool told_to_end = run.kill_at.has_value() || (was_prolog && quit_);
  run.kill_at.reset();
  const int status = run.hook_status;
  if (run.why.empty() && !run.cage->empty()) {
    run.why = fmt::format("processes of its {} that cannot be killed were left behind",
                          was_prolog ? "prolog" : "epilog");
  } else if (status != 0 && run.why.empty()) {
    const SpawnFailure failure = run.failure ? *run.failure : SpawnFailure{};
    run.why = fmt::format("the {} {} {}", was_prolog ? "prolog" : "epilog",
                          was_prolog ? run.assignment.prolog : run.assignment.epilog,
                          failure.stage != SpawnStage::kNone
                              ? fmt::format("cannot be run: {}", std::strerror(failure.error))
                          : WIFEXITED(status)
                              ? fmt::format("ended with exit code {}", WEXITSTATUS(status))
                              : fmt::format("was killed by signal {}", WTERMSIG(status)));
  }
  leave_cage(run);
  reschedule(run);
  if (!was_prolog) return finish(run);
  if (told_to_end || !run.why.empty()) {
    return fail_early(run, std::exchange(run.why, {}),
                      told_to_end ? JobState::kNodeFail : JobState::kBootFail);
  }
  start_leader(run);
}

}  // namespace sluice
