// Steps that route: the same decisions as `sluice route` and `sluice rebalance`, in virtual time.
#include <fmt/format.h>

#include "routing/rebalance.h"
#include "routing/routed_spec.h"
#include "routing/router.h"
#include "sim/chains/simulated_target.h"
#include "views/cluster_card.h"
#include "views/pool_words.h"

namespace sluice {

StoryAnswer SimulatedTarget::route(const StoryRoute& step, Instant at) {
  (void)settle(at);
  const StorySubmit& submit = step.submit;
  const Description seen =
      description_of(cluster_card(engine_, at), state().shared_policy(), submit.who);
  TaskNeeds needs = needs_of(submit.request, step.device, routing_, seen);
  needs.accounts = step.accounts;
  const auto pools = find_pools(seen, routing_, needs);
  Submitted& own = jobs_[submit.name];
  own.fate = submit.fate;
  own.request = submit;
  const IndexSet all = submit.request.array ? submit.request.array->indices : IndexSet{};
  if (submit.request.array) own.tasks = all;
  RouteRequest request;
  request.array = submit.request.array.has_value();
  request.tasks = request.array ? static_cast<std::int64_t>(all.size()) : 1;
  const Route decision = sluice::route(pools, request);
  StoryAnswer out;
  for (std::size_t i = 0; i < pools.size(); ++i)
    out.pools.push_back(
        {pool_name(pools[i]),
         false,
         submit.name,
         {},
         verdict_text(pools[i], decision.verdicts[i], decision, seen.policy->tres, "")});
  if (decision.full) {
    own.refused = true;
    out.refused = true;
    out.message = "every pool is full";
    say(at, fmt::format("{} is refused: {}", submit.name, out.message));
    return out;
  }
  const std::vector<IndexSet> parts = tasks_of_shares(all, decision);
  for (std::size_t i = 0; i < decision.shares.size(); ++i) {
    const Pool& pool = pools[decision.shares[i].pool];
    std::optional<IndexSet> part;
    if (request.array) part = parts[i];
    submitting_ = &submit;
    const StoryAnswer answer =
        answer_of(time_.give(SubmitJob{spec_for(submit.request, pool, part, all.size())}, at));
    submitting_ = nullptr;
    if (answer.refused) {
      own.refused = own.parts.empty();
      out.refused = true;
      out.reason = answer.reason;
      out.message = answer.message;
      return out;
    }
    if (part) own.parts.emplace_back(*part, own.id);
    SeenPool& taken = out.pools[decision.shares[i].pool];
    taken.used = true;
    taken.tasks = part;
    say(at, fmt::format("{} goes to {}", submit.name, taken.name));
  }
  return out;
}

StoryAnswer SimulatedTarget::rebalance(const StoryRebalance& step, Instant at) {
  (void)settle(at);
  const ClusterCard card = cluster_card(engine_, at);
  const Description seen = description_of(card, state().shared_policy(), step.who);
  const auto waiting = waiting_of(card, state().policy(), step.who);
  const Rebalance plan = plan_rebalance(seen, routing_, waiting, at);
  StoryAnswer out;
  for (const Move& move : plan.moves) {
    const WaitingTasks& from = waiting[move.waiting];
    const JobChange change = change_for(move, from);
    const Key& key = key_of(from.job.job);
    std::vector<JobRef> refs;
    if (!move.tasks) refs.push_back({from.job.job, std::nullopt});
    if (move.tasks)
      for (const std::uint32_t task : move.tasks->to_vector()) refs.push_back({from.job.job, task});
    for (const JobRef& ref : refs) {
      const StoryAnswer answer =
          answer_of(time_.give(UpdateJob{ref, change, Actor{step.who, false}}, at));
      if (!answer.refused) continue;
      out.refused = true;
      out.reason = answer.reason;
      out.message = answer.message;
    }
    out.pools.push_back({move.pool, true, key.first, move.tasks, {}});
    say(at, fmt::format("{} moves to {}", key.first, move.pool));
  }
  return out;
}

}  // namespace sluice
