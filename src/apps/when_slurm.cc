// sluice when --on slurm: the policy, the queue and the past from Slurm's commands.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/when_verb.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "engine/engine.h"
#include "model/event.h"
#include "policyfile/plan/account_commands.h"
#include "pools/routing_context.h"
#include "sim/forks/live_queue.h"
#include "sim/forks/start_card.h"
#include "slurm/job_update.h"
#include "slurm/run_slurm.h"
#include "slurm/run_times.h"
#include "targets/slurm_import.h"
#include "targets/slurm_steps.h"

namespace sluice {
namespace {

constexpr Duration kPast = minutes(std::int64_t{28} * 24 * 60);

// Without accounting nothing is known of the past.
std::vector<RanBefore> past_runs(Instant now, WhenCard& card) {
  std::vector<RanBefore> out;
  const auto said = ask_slurm(run_times_command(now - kPast), seconds(30));
  if (!said) {
    card.notes.push_back("sacct does not tell of earlier runs: " + said.error().what);
    return out;
  }
  for (RunTime& each : parse_run_times(said->output))
    out.push_back({std::move(each.user), {}, each.limit, each.run});
  return out;
}

// Nodes that are down or drained take nothing, until they are back.
void close_nodes(Engine& engine, Instant now, WhenCard& card) {
  const auto seen = this_slurm()->describe();
  if (!seen) {
    card.notes.push_back("which nodes are down is not known: " + seen.error().what);
    return;
  }
  const Policy& policy = engine.state().policy();
  for (std::size_t i = 0; i < seen->nodes.size(); ++i) {
    if (seen->nodes[i].usable) continue;
    if (const auto node = policy.find_node(seen->policy->nodes[i].name))
      engine.replay(Event(now, NodeChanged{*node, NodeState::kDraining, "as on Slurm"}));
  }
}

std::string array_of(const std::string& id) { return id.substr(0, id.find('_')); }

// The job itself; of an array, the task that waits with the lowest number.
const QueuedJob* find_job(const std::vector<QueuedJob>& jobs, const std::string& wanted) {
  const QueuedJob* out = nullptr;
  for (const QueuedJob& job : jobs) {
    if (job.id == wanted) return &job;
    if (array_of(job.id) != wanted) continue;
    const bool better = out == nullptr || (out->started && !job.started);
    if (better) out = &job;
  }
  return out;
}

// As slurmctld rates those that wait. One that is not submitted yet counts like the last of its
// user's in the queue, or else like the last of all.
std::int64_t expected_priority(const std::vector<QueuedJob>& jobs, const std::string& user) {
  std::int64_t own = 0;
  std::int64_t any = 0;
  for (const QueuedJob& job : jobs) {
    const std::int64_t priority = job.request.priority.value_or(0);
    if (priority <= 0) continue;
    any = any == 0 ? priority : std::min(any, priority);
    if (job.request.user == user) own = own == 0 ? priority : std::min(own, priority);
  }
  return own > 0 ? own : any;
}

}  // namespace

Result<SlurmWhen> when_on_slurm(const WhenQuestion& question) {
  SlurmWhen out;
  WhenCard& card = out.card;
  card.asked = now_here();
  TRY(LivePolicy live, read_live_policy());
  out.cluster = live.policy.cluster;
  live.policy.jobs.first_job_id = 1;
  TRY(std::vector<QueuedJob> jobs, queued_jobs());
  TRY(const CommandOutput planned, ask_slurm(planned_jobs_command()));
  std::map<std::string, PlannedJob> plans;
  for (PlannedJob& each : parse_planned_jobs(planned.output)) plans.emplace(each.id, each);
  for (QueuedJob& job : jobs)
    if (const auto plan = plans.find(job.id); plan != plans.end() && !job.started)
      job.request.priority = plan->second.priority;
  StartQuestion asked;
  std::string id;
  if (question.request) {
    asked.request = *question.request;
    asked.request->user = own_user();
    asked.request->launch = Launch{};
    if (!asked.request->priority)
      if (const std::int64_t priority = expected_priority(jobs, own_user()); priority > 0)
        asked.request->priority = priority;
    card.name = asked.request->name;
    card.user = asked.request->user;
  } else {
    const QueuedJob* job = find_job(jobs, question.job);
    if (job == nullptr)
      return bad_input(fmt::format("no job {} is in the queue", question.job), "type: squeue --me");
    id = job->id;
    card.id = id;
    card.user = job->request.user;
    card.state = slurm_name(job->state);
    card.submitted = job->submitted;
    if (job->started) {
      card.started = job->started;
      return out;
    }
    if (const auto plan = plans.find(id); plan != plans.end()) card.planned = plan->second.start;
    if (id != question.job)
      card.notes.push_back("The task of the array that is asked about: " + id);
  }
  const LearntRunTimes learnt(past_runs(card.asked, card));
  const auto policy = std::make_shared<const Policy>(std::move(live.policy));
  Engine engine(Engine::Explain::kNo);
  const std::vector<JobId> ids = bring_to(engine, policy, jobs);
  close_nodes(engine, card.asked, card);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!id.empty() && jobs[i].id == id) asked.job = JobRef{ids[i], std::nullopt};
  const StartForecast forecast =
      forecast_start(engine.state().snapshot(), card.asked, asked, learnt);
  put_forecast(
      forecast, *policy, learnt,
      [&](const JobChange& change) {
        return id.empty() ? "sluice submit --on slurm " + option_for(change)
                          : shell_quoted(update_command(id, change));
      },
      card);
  return out;
}

Result<void> settle_on_slurm(const std::vector<Prediction>& said, Outcomes& outcomes) {
  std::vector<std::string> jobs;
  Instant first = Instant::max();
  for (const Prediction& each : said) {
    jobs.push_back(each.job);
    first = std::min(first, each.submitted);
  }
  if (jobs.empty()) return {};
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  std::map<std::string, JobStart> starts;
  constexpr std::size_t kAtOnce = 200;  // Of a command line.
  for (std::size_t i = 0; i < jobs.size(); i += kAtOnce) {
    const auto part = std::span(jobs).subspan(i, std::min(kAtOnce, jobs.size() - i));
    TRY(const CommandOutput told, ask_slurm(job_starts_command(part, first - minutes(1))));
    for (JobStart& each : parse_job_starts(told.output)) starts.insert_or_assign(each.id, each);
  }
  for (const Prediction& each : said) {
    const auto found = starts.find(each.job);
    // Numbers are used again after a while: another submission is another job.
    if (found == starts.end() || found->second.submitted - each.submitted > seconds(1) ||
        each.submitted - found->second.submitted > seconds(1))
      ++outcomes.unknown;
    else if (!found->second.started || *found->second.started < each.asked - seconds(1))
      ++outcomes.waiting;
    else
      outcomes.settled.push_back({each, *found->second.started});
  }
  return {};
}

}  // namespace sluice
