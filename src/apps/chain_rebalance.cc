#include "apps/chain_rebalance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "apps/chain_context.h"
#include "apps/mover.h"
#include "apps/routing_context.h"
#include "routing/pool.h"
#include "routing/rebalance.h"
#include "routing/routed_spec.h"

namespace sluice {
namespace {

constexpr const char* kAccounts = "SLUICE_ACCOUNTS";

std::vector<std::string> named_accounts(const Chain& chain) {
  for (const EnvironmentVariable& one : chain.spec.launch.environment)
    if (one.name == kAccounts) return listed_names({one.value});
  return {};
}

Result<RoutingSettings> settings_for(const Chain& chain) {
  TRY(RoutingSettings settings, settings_of(chain));
  if (auto named = named_accounts(chain); !named.empty()) settings.accounts = std::move(named);
  return settings;
}

std::size_t count_accounts(const Description& seen, const RoutingSettings& settings,
                           const JobSpec& spec) {
  std::set<std::string> out;
  for (const Pool& pool : find_pools(seen, settings, needs_of(spec, "", settings, seen)))
    if (pool.left_out == LeftOut::kNo) out.insert(pool.account);
  return out.size();
}

}  // namespace

bool may_move(const Chain& chain) {
  if (!named_accounts(chain).empty()) return true;
  return chain.spec.account.empty() && chain.spec.qos.empty() && chain.spec.reservation.empty();
}

void allow_accounts(JobSpec& spec, const std::vector<std::string>& accounts) {
  spec.launch.environment.push_back({kAccounts, fmt::format("{}", fmt::join(accounts, ","))});
}

bool tasks_wait(const Chain& chain) {
  return chain.state == ChainState::kActive &&
         std::any_of(chain.tasks.begin(), chain.tasks.end(), [&](const Task& task) {
           return task.state == TaskState::kSubmitted && !task.running &&
                  chain.batch(task.batch).job.has_value();
         });
}

std::size_t accounts_for(const Chain& chain, Cluster& cluster) {
  const auto settings = settings_for(chain);
  const auto seen = cluster.describe();
  return settings && seen ? count_accounts(*seen, *settings, chain.spec) : 0;
}

Result<std::optional<ChainMove>> by_another_job(const Chain& chain, const Move& move,
                                                const WaitingTasks& from) {
  if (engine_of(chain.id) == "slurm") {
    std::vector<JobId> own;
    for (const Handler& handler : chain.handlers)
      if (handler.job) own.push_back(handler.job->job);
    TRY(const bool awaited, this_slurm()->others_wait_for(from.job.job, own));
    if (awaited) return std::nullopt;
  }
  return ChainMove{from.job, move.tasks, move.account, move.qos, move.partitions};
}

Result<ChainRebalance> rebalance_chain(const Chain& chain, Cluster& cluster, Instant now) {
  ChainRebalance out;
  TRY(const RoutingSettings settings, settings_for(chain));
  TRY(const Description seen, cluster.describe());
  if (!seen.behind.empty()) return out;  // What is old does not move anybody.
  out.accounts = count_accounts(seen, settings, chain.spec);
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
      TRY(auto another, by_another_job(chain, move, from));
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
