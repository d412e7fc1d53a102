#include "pools/ahead.h"

#include <algorithm>

#include "cli/connection.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "engine/engine.h"
#include "model/event.h"
#include "pools/routing_context.h"
#include "sim/forks/finish_forecast.h"
#include "sim/forks/live_queue.h"
#include "slurm/run_slurm.h"
#include "targets/slurm_import.h"
#include "targets/slurm_steps.h"
#include "views/when_fields.h"
#include "wire/when_request.h"

namespace sluice {
namespace {

constexpr Duration kPast = minutes(std::int64_t{28} * 24 * 60);

// Without accounting nothing is known of the past.
std::vector<RanBefore> past_runs(Instant now, std::vector<std::string>& notes) {
  std::vector<RanBefore> out;
  const auto said = ask_slurm(run_times_command(now - kPast), seconds(30));
  if (!said) {
    notes.push_back("sacct does not show earlier runs: " + said.error().what);
    return out;
  }
  for (RunTime& each : parse_run_times(said->output))
    out.push_back({std::move(each.user), {}, each.limit, each.run});
  return out;
}

// Nodes that are down or drained take nothing, until they are back.
void close_nodes(Engine& engine, Instant now, std::vector<std::string>& notes) {
  const auto seen = this_slurm()->describe();
  if (!seen) {
    notes.push_back("which nodes are down is not known: " + seen.error().what);
    return;
  }
  const Policy& policy = engine.state().policy();
  for (std::size_t i = 0; i < seen->nodes.size(); ++i) {
    if (seen->nodes[i].usable) continue;
    if (const auto node = policy.find_node(seen->policy->nodes[i].name))
      engine.replay(Event(now, NodeChanged{*node, NodeState::kDraining, "as on Slurm"}));
  }
}

}  // namespace

std::int64_t SlurmAhead::expected_priority(const std::string& user) const {
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

Result<SlurmAhead> look_ahead_on_slurm() {
  SlurmAhead out;
  out.asked = now_here();
  TRY(LivePolicy live, read_live_policy());
  out.cluster = live.policy.cluster;
  live.policy.jobs.first_job_id = 1;
  TRY(out.jobs, queued_jobs());
  TRY(const CommandOutput planned, ask_slurm(planned_jobs_command()));
  for (PlannedJob& each : parse_planned_jobs(planned.output)) out.plans.emplace(each.id, each);
  for (QueuedJob& job : out.jobs)
    if (const auto plan = out.plans.find(job.id); plan != out.plans.end() && !job.started)
      job.request.priority = plan->second.priority;
  out.learnt = LearntRunTimes(past_runs(out.asked, out.notes));
  out.policy = std::make_shared<const Policy>(std::move(live.policy));
  Engine engine(Engine::Explain::kNo);
  out.ids = bring_to(engine, out.policy, out.jobs);
  close_nodes(engine, out.asked, out.notes);
  out.state = engine.state().snapshot();
  return out;
}

Result<FinishCard> finish_of(AheadOf cluster, FinishQuestion question) {
  if (cluster == AheadOf::kDaemon) {
    TRY(Connection daemon, Connection::open());
    WhenRequest request;
    for (FinishPool& pool : question.pools) pool.request.launch = Launch{};
    request.finish.push_back(std::move(question));
    TRY(const WhenCard card, daemon.post<WhenCard>("POST", "/v1/when", request));
    if (!card.finish) return failed("the daemon does not say when tasks would end");
    return *card.finish;
  }
  TRY(const SlurmAhead slurm, look_ahead_on_slurm());
  const std::int64_t priority = slurm.expected_priority(own_user());
  for (FinishPool& pool : question.pools) {
    pool.request.user = own_user();
    if (!pool.request.priority && priority > 0) pool.request.priority = priority;
  }
  FinishCard card = choose_by_finish(slurm.state, slurm.asked, question, slurm.learnt);
  card.notes = slurm.notes;
  return card;
}

}  // namespace sluice
