// sluice when --on slurm: the policy, the queue and the past from Slurm's commands.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/when_verb.h"
#include "cli/own_user.h"
#include "policyfile/plan/account_commands.h"
#include "pools/ahead.h"
#include "sim/forks/start_card.h"
#include "slurm/job_update.h"
#include "slurm/run_slurm.h"

namespace sluice {
namespace {

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

}  // namespace

Result<SlurmWhen> when_on_slurm(const WhenQuestion& question) {
  TRY(const SlurmAhead slurm, look_ahead_on_slurm());
  SlurmWhen out;
  WhenCard& card = out.card;
  card.asked = slurm.asked;
  card.notes = slurm.notes;
  out.cluster = slurm.cluster;
  StartQuestion asked;
  std::string id;
  if (question.request) {
    asked.request = *question.request;
    asked.request->user = own_user();
    asked.request->launch = Launch{};
    if (!asked.request->priority)
      if (const std::int64_t priority = slurm.expected_priority(own_user()); priority > 0)
        asked.request->priority = priority;
    card.name = asked.request->name;
    card.user = asked.request->user;
  } else {
    const QueuedJob* job = find_job(slurm.jobs, question.job);
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
    if (const auto plan = slurm.plans.find(id); plan != slurm.plans.end())
      card.planned = plan->second.start;
    if (id != question.job)
      card.notes.push_back("The task of the array that is asked about: " + id);
  }
  for (std::size_t i = 0; i < slurm.jobs.size(); ++i)
    if (!id.empty() && slurm.jobs[i].id == id) asked.job = JobRef{slurm.ids[i], std::nullopt};
  const StartForecast forecast = forecast_start(slurm.state, card.asked, asked, slurm.learnt);
  put_forecast(
      forecast, *slurm.policy, slurm.learnt,
      [&](const JobChange& change) {
        return id.empty() ? "sluice submit --on slurm " + option_for(change)
                          : shell_quoted(update_command(id, change));
      },
      [&](JobId job) {
        const auto found = std::find(slurm.ids.begin(), slurm.ids.end(), job);
        return found == slurm.ids.end()
                   ? std::to_string(job.value())
                   : slurm.jobs[static_cast<std::size_t>(found - slurm.ids.begin())].id;
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
