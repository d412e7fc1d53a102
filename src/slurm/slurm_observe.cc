// Looking at one's own jobs: one squeue for all of them, and sacct for those that have ended.
#include <fmt/format.h>

#include <algorithm>

#include "slurm/accounting_rows.h"
#include "slurm/answers.h"
#include "slurm/my_jobs.h"
#include "slurm/observation.h"
#include "slurm/past_runs.h"
#include "slurm/slurm_cluster.h"
#include "slurm/waiting_rows.h"

namespace sluice {
namespace {

// Sites with many jobs in one question answer "argument list too long", or not in time.
constexpr std::size_t kJobsInOneQuestion = 200;

constexpr Duration kPast = std::chrono::hours(24 * 28);

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace

Result<MyJobs> SlurmCluster::mine(Duration fresh_for) const {
  TRY(const Answered shown, caller_.ask("mine", my_jobs_command(), fresh_for));
  if (!shown.problem.empty()) return unreachable(shown.problem);
  return parse_my_jobs(shown.text);
}

Result<std::vector<WaitingTasks>> SlurmCluster::waiting() {
  TRY(const MyJobs own, mine(seconds(5)));
  return waiting_groups(own);
}

// Whole hours: the same question may then be answered from the cache.
Result<std::vector<PastRun>> SlurmCluster::past_runs(const std::string& name) {
  const std::int64_t hour = to_seconds(caller_.now()) / 3600;
  const auto argv = past_runs_command(name, instant_at(seconds(hour * 3600)) - kPast);
  TRY(const Answered shown,
      caller_.ask(fmt::format("past-{:016x}", fnv1a(name)), argv, caller_.settings().seldom));
  return parse_past_runs(shown.text);
}

Result<std::vector<Sighting>> SlurmCluster::observe(std::span<const RemoteRef> refs) {
  auto shown = caller_.ask("mine", my_jobs_command(), caller_.settings().fresh_for);
  const bool queue_answered = shown && shown->problem.empty();
  MyJobs queue;
  Instant as_of = caller_.now();
  if (shown) {
    queue = parse_my_jobs(shown->text);
    as_of = std::min(as_of, shown->as_of);
  }
  bool accounting_answered = true;
  std::vector<AccountedTask> accounted;
  const std::vector<JobId> ask = to_ask_accounting(refs, queue.jobs);
  Error problem;
  for (std::size_t start = 0; start < ask.size(); start += kJobsInOneQuestion) {
    const auto part =
        std::span(ask).subspan(start, std::min(kJobsInOneQuestion, ask.size() - start));
    const auto argv = accounted_jobs_command(part);
    auto answer = caller_.ask(fmt::format("sacct-{:016x}", fnv1a(fmt::format("{}", argv[5]))), argv,
                              caller_.settings().fresh_for);
    if (answer && answer->problem.empty()) {
      auto tasks = parse_accounted_tasks(answer->text);
      std::move(tasks.begin(), tasks.end(), std::back_inserter(accounted));
      continue;
    }
    const std::string why = answer ? answer->problem : answer.error().what;
    if (no_answer(why) == NoAnswer::kNoDatabase) continue;
    accounting_answered = false;
    if (!answer) problem = answer.error();
    // What it said earlier of what has ended stays true.
    if (answer) {
      auto tasks = parse_accounted_tasks(answer->text);
      std::erase_if(tasks, [](const auto& task) { return !has_ended(task.seen.state); });
      std::move(tasks.begin(), tasks.end(), std::back_inserter(accounted));
    }
  }
  if (!shown && !accounting_answered)
    return unreachable(fmt::format("neither squeue nor sacct answers: {}", shown.error().what),
                       "nothing is known of the jobs now; none has failed for that");
  std::vector<Sighting> out;
  for (const RemoteRef& ref : refs) {
    const bool needed = std::binary_search(ask.begin(), ask.end(), ref.job.job);
    Sighting sighting{ref, put_together(ref, queue.jobs, accounted),
                      queue_answered && (accounting_answered || !needed), as_of};
    out.push_back(std::move(sighting));
  }
  return out;
}

}  // namespace sluice
