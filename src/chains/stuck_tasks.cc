#include "chains/stuck_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "routing/pool.h"
#include "routing/routed_spec.h"
#include "slurm/job_update.h"

namespace sluice {
namespace {

std::size_t count_accounts(const Description& seen, const RoutingSettings& settings,
                           const Chain& chain) {
  std::set<std::string> out;
  const TaskNeeds needs = needs_of(chain.spec, chain.terms.device, settings, seen);
  for (const Pool& pool : find_pools(seen, settings, needs))
    if (pool.left_out == LeftOut::kNo) out.insert(pool.account);
  return out.size();
}

}  // namespace

std::string job_words(const RemoteJob& job, const std::optional<IndexSet>& tasks) {
  return tasks ? job_name(job, *tasks) : job_name(RemoteRef{job, std::nullopt});
}

Result<RoutingSettings> settings_for(const ChainPorts& ports, const Chain& chain) {
  TRY(RoutingSettings settings, ports.settings(chain.terms.project));
  if (!chain.terms.accounts.empty()) settings.accounts = chain.terms.accounts;
  return settings;
}

bool may_move(const Chain& chain) {
  if (!chain.terms.accounts.empty()) return true;
  return chain.spec.account.empty() && chain.spec.qos.empty() && chain.spec.reservation.empty();
}

bool tasks_wait(const Chain& chain) {
  return chain.state == ChainState::kActive &&
         std::any_of(chain.tasks.begin(), chain.tasks.end(), [&](const Task& task) {
           return task.state == TaskState::kSubmitted && !task.running &&
                  chain.batch(task.batch).job.has_value();
         });
}

std::size_t accounts_for(const Chain& chain, Cluster& cluster, const RoutingSettings& settings) {
  const auto seen = cluster.describe();
  return seen ? count_accounts(*seen, settings, chain) : 0;
}

Result<std::optional<ChainMove>> by_another_job(const Chain& chain, const Cluster& cluster,
                                                const Move& move, const WaitingTasks& from) {
  std::vector<JobId> own;
  for (const Handler& handler : chain.handlers)
    if (handler.job) own.push_back(handler.job->job);
  TRY(const bool awaited, cluster.others_wait_for(from.job.job, own));
  if (awaited) return std::nullopt;
  ChainMove out{from.job, move.tasks, move.account, move.qos, move.partitions, {}, {}};
  // Its user may have changed it since it was submitted.
  if (from.need.memory_mb > 0)
    out.memory = MemoryRequest{MemoryPer::kNode, from.need.memory_mb / from.need.nodes};
  out.time = from.need.time_limit;
  return out;
}

Result<ChainRebalance> rebalance_chain(const Chain& chain, Cluster& cluster,
                                       const RoutingSettings& settings, Instant now) {
  ChainRebalance out;
  TRY(const Description seen, cluster.describe());
  if (!seen.behind.empty()) return out;  // What is old does not move anybody.
  out.accounts = count_accounts(seen, settings, chain);
  if (out.accounts < 2) return out;
  TRY(std::vector<WaitingTasks> waiting, cluster.waiting());
  std::erase_if(waiting, [&](const WaitingTasks& group) {
    const Batch* batch = chain.carried_by(group.job);
    return batch == nullptr || batch->state != BatchState::kReleased;
  });
  const Rebalance plan = plan_rebalance(seen, settings, waiting, now);
  for (const Move& move : plan.moves) {
    const WaitingTasks& from = waiting[move.waiting];
    TRY(const auto answer, move_in_place(cluster, move, from));
    const std::string what =
        fmt::format("{} of {} to {}", job_words(from.job, move.tasks), from.account, move.pool);
    if (const auto* refusal = std::get_if<Refusal>(&answer)) {
      TRY(auto another, by_another_job(chain, cluster, move, from));
      if (another)
        out.refused.push_back(std::move(*another));
      else
        out.notes.push_back(
            fmt::format("{}: the site refuses the change ({}), and other jobs depend on this one",
                        what, refusal->message));
    } else if (std::get<Changed>(answer) == Changed::kDone) {
      out.moved += move.tasks ? move.tasks->size() : 1;
      out.notes.push_back(fmt::format("moved {}, after waiting for {}", what, from.reason));
    }
  }
  return out;
}

}  // namespace sluice
