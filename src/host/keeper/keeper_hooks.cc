// The policy's prolog and epilog: what runs as root before and after a run.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "host/keeper/keeper_runs.h"

namespace sluice {

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
    return fail_early(run, std::exchange(run.why, {}),
                      told_to_end ? JobState::kNodeFail : JobState::kBootFail);
  }
  start_leader(run);
}

}  // namespace sluice
