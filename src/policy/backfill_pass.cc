// Plans each job behind those before it, and starts what may start at once.
#include "policy/backfill_pass.h"

#include <algorithm>
#include <map>

#include "policy/asked_on_nodes.h"
#include "policy/limits.h"

namespace sluice {
namespace {

// bf_max_job_user and bf_max_job_part: how many jobs of a user, and of a partition, one pass looks
// at.
class JobsLookedAt {
 public:
  explicit JobsLookedAt(const SchedulerSettings& settings)
      : per_user_(settings.backfill_max_job_user), per_partition_(settings.backfill_max_job_part) {}
  bool are_bounded() const { return per_user_ || per_partition_; }
  // Whether this one is left out. Called once for each job and partition.
  bool leaves_out(UserId user, PartitionId partition) {
    if (per_partition_ && partitions_[partition]++ >= *per_partition_) return true;
    return per_user_ && users_[user]++ >= *per_user_;
  }

 private:
  std::optional<std::int64_t> per_user_;
  std::optional<std::int64_t> per_partition_;
  std::map<UserId, std::int64_t> users_;
  std::map<PartitionId, std::int64_t> partitions_;
};

// Jobs that come after this one: their memory is on its way when it is their turn.
void look_ahead(const State& state, const Queue& queue, std::size_t i) {
  constexpr std::size_t kJobs = 16;
  constexpr std::size_t kShapes = 8;
  const std::vector<QueueEntry>& entries = queue.entries();
  if (i + kJobs >= entries.size()) return;
  if (!entries[i + kJobs].gone) state.prefetch_job(entries[i + kJobs].job);
  if (!entries[i + kShapes].gone) state.prefetch_shape(entries[i + kShapes].job);
}

}  // namespace

void BackfillPass::run(const PassInput& input) {
  const State& state = input.state;
  Queue& queue = input.queue;
  if (queue.empty()) return;
  const SchedulerSettings& settings = state.policy().scheduler;
  Shortcuts& shortcuts = kit_.shortcuts;
  kit_.room.heed_reservations(state);
  kit_.room.read(state);
  latest_ = input.now + settings.backfill_window;
  const auto any_may_start = [&] {
    return shortcuts.any_may_start(input, kit_.room.free(), [&](const QueueEntry& entry) {
      return kit_.gates.are_open(state, entry, input.now);
    });
  };
  // Whether any could start does not depend on the order, which is not looked at for nothing.
  if (!queue.is_tidy()) {
    if (!any_may_start()) return;
    queue.tidy();
  }
  if (!any_may_start()) return;
  kit_.forecast.read(state, kit_.topology, kit_.room.free(), input.now);
  shortcuts.begin_plans(input, latest_);
  JobsLookedAt looked_at(settings);
  std::int32_t tested = 0;
  JobId last_job{};
  const bool long_queue = queue.size() > kLongQueue;
  for (std::size_t i = queue.head(); i < shortcuts.end(); ++i) {
    if (long_queue) look_ahead(state, queue, i);
    const QueueEntry& next = queue.entries()[i];
    if (next.gone) continue;
    if (next.job != last_job && tested++ >= settings.backfill_max_job_test) break;
    last_job = next.job;
    if (looked_at.are_bounded() &&
        looked_at.leaves_out(state.shape_of_job(state.job(next.job)).user, next.partition))
      continue;
    const Chance chance = shortcuts.is_hopeless(next) ? Chance::kNone : Chance::kSome;
    // Without a place it does not start; what else stops it matters only to those who are told.
    if (chance == Chance::kNone && !shortcuts.tells_limits()) continue;
    // Copied: a job that starts may bring others into the queue.
    const QueueEntry entry = next;
    while (look_at(input, i, entry, chance)) {
    }
  }
  shortcuts.plans().end(state);
}

bool BackfillPass::look_at(const PassInput& input, std::size_t i, const QueueEntry& entry,
                           Chance chance) {
  const State& state = input.state;
  const Instant now = input.now;
  Shortcuts& shortcuts = kit_.shortcuts;
  Forecast& forecast = kit_.forecast;
  // Nobody is told, so what it is does not matter.
  if (!shortcuts.tells_limits() && !kit_.gates.are_open(state, entry, now)) return false;
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  kit_.room.look_through(state, shape, now);
  forecast.look_through(kit_.room.windows().any() ? &kit_.room.windows() : nullptr);
  const auto stopped = gate(input, entry, job, shape);
  if (stopped) {
    input.out.wait(entry.job, entry.partition, *stopped);
    if (!kit_.traits.limits_stop || !is_limit(stopped->rule)) return false;
  }
  if (chance == Chance::kNone) return false;
  // Of the last only whether it starts matters, not when it would.
  const bool now_or_never = !kit_.room.reserves() && shortcuts.end_moves() &&
                            i + 1 == shortcuts.end() && !entry.pushes_out &&
                            state.suspended().empty() && takes_any_node(shape);
  const Keeps keeps = this->keeps(input, entry, job, shape);
  Planned plan{now, {}};
  if (!now_or_never) {
    const auto found = earliest(state, entry, keeps);
    if (!found) return false;
    plan = *found;
  }
  const bool makes_room = !stopped && pushes_out_for_preferred(input, entry, shape);
  std::optional<Allocation> allocation;
  if (plan.start == now && !makes_room) {
    allocation = place_now(state, shape, entry.partition, now + job.limit);
    if (!allocation && !now_or_never) shortcuts.plans().cut();
  }
  if (allocation) {
    const auto reason =
        stopped ? stopped
                : kit_.gates.limit_of_given(state, job, shape, entry.partition, *allocation, now);
    if (reason) {
      shortcuts.plans().cut();
      if (kit_.traits.limits_stop && keeps == Keeps::kNodes)
        keep_for_stopped(input, i, job, *allocation);
      input.out.wait(entry.job, entry.partition, *reason);
      return false;
    }
    // Ends are looked at in other groups from now on (forecast_search.cc).
    shortcuts.plans().forget();
    shortcuts.hopeless().clear();
    const bool last = is_last_task(state, job);
    forecast.start(*allocation, now + job.limit);
    start(input, entry, *allocation);
    shortcuts.move_end(
        i + 1, [&](const QueueEntry& other) { return kit_.gates.are_open(state, other, now); });
    return !last;
  }
  if (now_or_never) return false;
  if (makes_room || (!stopped && kit_.traits.preempts && push_out_for(input, entry, shape))) {
    shortcuts.plans().forget();  // Nodes are held until other times now.
    shortcuts.hopeless().clear();
    forecast.read_again();
    if (input.queue.entries()[i].gone) return false;
    const auto found = earliest(state, entry, keeps);
    if (!found) return false;
    plan = *found;
  }
  // It could only have started at once.
  if (keeps == Keeps::kNothing) return false;
  if (kit_.traits.limits_stop) {
    shortcuts.plans().cut();
  } else if (const auto reason = limit_of_plan(input, entry, job, shape, plan)) {
    input.out.wait(entry.job, entry.partition, *reason);
    shortcuts.plans().cut();
    return false;
  }
  if (keeps == Keeps::kNodes) keep(input, i, plan, job.limit);
  input.out.plan(entry.job, plan.start, plan.nodes);
  if (stopped) input.out.wait(entry.job, entry.partition, *stopped);
  return false;
}

void BackfillPass::keep_for_stopped(const PassInput& input, std::size_t i, const Job& job,
                                    const Allocation& allocation) {
  const QueueEntry& entry = input.queue.entries()[i];
  constexpr Duration kGuess = seconds(500);
  const Instant start = kit_.forecast.first_release(entry.partition).value_or(input.now + kGuess);
  std::vector<NodeId> nodes;
  for (const NodeShare& share : allocation.shares()) nodes.push_back(share.node);
  if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
        return !kit_.forecast.is_open(node, start, start + job.limit);
      }))
    return;
  keep(input, i, Planned{start, nodes}, job.limit);
  input.out.plan(entry.job, start, nodes);
}

void BackfillPass::keep(const PassInput& input, std::size_t i, const Planned& plan,
                        Duration limit) {
  kit_.shortcuts.keep_nodes(plan.nodes, plan.start);
  kit_.shortcuts.move_end(i + 1, [&](const QueueEntry& other) {
    return kit_.gates.are_open(input.state, other, input.now);
  });
  // No job looks at what is kept behind the last.
  if (i + 1 < kit_.shortcuts.end())
    kit_.forecast.reserve(plan.nodes, plan.start, plan.start + limit);
}

BackfillPass::Keeps BackfillPass::keeps(const PassInput& input, const QueueEntry& entry,
                                        const Job& job, const Shape& shape) const {
  // Planned, but no job has to wait for it.
  if (shape.qos && input.state.policy().qos[shape.qos->index()].flags.no_reserve)
    return Keeps::kNoNodes;
  return may_reserve(input, entry, job) ? Keeps::kNodes : Keeps::kNothing;
}

std::optional<Reason> BackfillPass::gate(const PassInput& input, const QueueEntry& entry,
                                         const Job& job, const Shape& shape) {
  const State& state = input.state;
  const Instant now = input.now;
  // A job whose reservation has not begun is looked at no further.
  if (const auto shut = kit_.room.reservation_gate(now)) return shut;
  if (!kit_.shortcuts.tells_limits()) return std::nullopt;
  // Where there are no nodes for it slurmctld gets neither to licenses nor to limits of the
  // request.
  const bool nowhere = !shape.names_nodes && kit_.room.has_too_few_nodes(shape, entry.partition);
  auto reason = kit_.gates.before_nodes(state, entry, job, shape, now);
  if (reason) {
    if (nowhere && reason->rule == Rule::kLicenses) reason = Reason{};
  } else {
    // Those that depend on the nodes of the plan are looked at when there is one.
    if (nodes_change_request(shape, kit_.traits.given_may_pass)) return std::nullopt;
    reason = kit_.gates.limit_of_request(state, job, shape, entry.partition, now);
    if (!reason) return std::nullopt;
    if (nowhere) reason = Reason{};
  }
  // Where there is room now it is what the job would be given that a limit stops.
  if (is_limit(reason->rule) && !kit_.gates.own(state, entry, job, shape, now))
    if (const auto given = place_now(state, shape, entry.partition, now + job.limit))
      if (auto of_given =
              kit_.gates.limit_of_given(state, job, shape, entry.partition, *given, now))
        return of_given;
  return reason;
}

// What it got in the last pass, if it gets that again; else it is looked for.
std::optional<BackfillPass::Planned> BackfillPass::earliest(const State& state,
                                                            const QueueEntry& entry, Keeps keeps) {
  KeptPlan& kept = kit_.shortcuts.plans();
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  const auto search = [&] {
    return kit_.forecast.earliest(shape, entry.kind, entry.partition, job.limit, latest_);
  };
  if (const KeptPlan::Step* step = kept.next(entry, job.spec)) {
#ifdef SLUICE_CHECKED
    const Earliest* anew = search();
    CHECK((anew != nullptr) == step->found, "a kept plan is there or not as it would be anew");
    CHECK(anew == nullptr ||
              (anew->start == step->start && std::ranges::equal(anew->nodes, kept.nodes_of(*step))),
          "a kept plan is what it would be anew");
#endif
    if (!step->found) {
      note_hopeless(entry, step->hopeless_from);
      return std::nullopt;
    }
    return Planned{step->start, kept.nodes_of(*step)};
  }
  const Earliest* found = search();
  std::optional<std::int32_t> hopeless_from;
  if (found == nullptr) {
    // No node or more than one was looked for, so each CPU less than that was one task less.
    const auto most = kit_.forecast.most_tasks();
    if (most && *most < shape.tasks)
      hopeless_from = static_cast<std::int32_t>(*most * shape.cpus_per_task + 1);
    note_hopeless(entry, hopeless_from);
  }
  // Where nothing is kept free for it, a job that starts may be in its way.
  if (keeps != Keeps::kNodes)
    kept.cut();
  else if (found == nullptr)
    kept.add_hopeless(entry, job.spec, kit_.forecast.first_behind(), hopeless_from);
  else if (found->start > kit_.forecast.now())
    kept.add(entry, job.spec, found->start, found->nodes);
  if (found == nullptr) return std::nullopt;
  return Planned{found->start, found->nodes};
}

// Another user may find the nodes open that are closed to this one.
void BackfillPass::note_hopeless(const QueueEntry& entry, std::optional<std::int32_t> from_cpus) {
  if (!kit_.room.windows().keeps_off_any()) kit_.shortcuts.hopeless().add(entry, from_cpus);
}

std::optional<Reason> BackfillPass::limit_of_plan(const PassInput& input, const QueueEntry& entry,
                                                  const Job& job, const Shape& shape,
                                                  const Planned& plan) const {
  if (!kit_.traits.has_limits || !nodes_change_request(shape, kit_.traits.given_may_pass))
    return std::nullopt;
  const TresVector asked =
      asked_on(input.state.policy(), shape, entry.partition, std::ssize(plan.nodes));
  return limit_after_placement(input.state, shape, entry.partition, job.limit, asked, input.now);
}

std::optional<Allocation> BackfillPass::place_now(const State& state, const Shape& shape,
                                                  PartitionId partition, Instant end) {
  const Forecast& forecast = kit_.forecast;
  return kit_.room.place_on(state, shape, partition, [&](NodeId node) {
    return forecast.is_open(node, forecast.now(), end);
  });
}

}  // namespace sluice
