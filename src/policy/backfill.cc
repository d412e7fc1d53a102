// Backfill with reservations: everybody in turn gets the earliest time that is left.
#include <algorithm>
#include <map>

#include "policy/asked_on_nodes.h"
#include "policy/cpu_cap.h"
#include "policy/gang.h"
#include "policy/limits.h"
#include "policy/schedule.h"
#include "policy/shared_nodes.h"

namespace sluice {
namespace {

// Requests that found no place in this pass. Resources only shrink during a pass, so whatever asks
// for at least as much of the same kind in the same partition will find none either.
class HopelessRequests {
 public:
  bool covers(const QueueEntry& asked) {
    if (asked.kind == 0 || groups_.empty()) return false;
    const Group& stairs = group(asked);
    return std::any_of(stairs.begin(), stairs.end(), [&](const Stair& stair) {
      return stair.nodes <= asked.min_nodes && covers(stair.steps, asked.cpus, asked.limit);
    });
  }
  void add(const QueueEntry& entry) {
    if (entry.kind == 0) return;
    Group& stairs = group(entry);
    auto stair = std::find_if(stairs.begin(), stairs.end(),
                              [&](const Stair& s) { return s.nodes == entry.min_nodes; });
    if (stair == stairs.end()) stair = stairs.insert(stairs.end(), Stair{entry.min_nodes, {}});
    add(stair->steps, entry.cpus, entry.limit);
  }
  // After somebody was pushed out there may be room again.
  void clear() {
    groups_.clear();
    last_ = nullptr;
  }

 private:
  // With more CPUs come shorter limits: a longer one would be covered by the step before it.
  struct Step {
    std::int32_t cpus = 0;
    Duration limit{0};
  };
  struct Stair {
    std::int32_t nodes = 0;
    std::vector<Step> steps;
  };
  using Group = std::vector<Stair>;
  using Key = std::pair<PartitionId, std::uint32_t>;

  static std::vector<Step>::const_iterator first_beyond(const std::vector<Step>& steps,
                                                        std::int32_t cpus) {
    return std::partition_point(steps.begin(), steps.end(),
                                [&](const Step& step) { return step.cpus <= cpus; });
  }
  // Of those with no more CPUs the last is the shortest.
  static bool covers(const std::vector<Step>& steps, std::int32_t cpus, Duration limit) {
    const auto beyond = first_beyond(steps, cpus);
    return beyond != steps.begin() && std::prev(beyond)->limit <= limit;
  }
  static void add(std::vector<Step>& steps, std::int32_t cpus, Duration limit) {
    if (covers(steps, cpus, limit)) return;
    auto first = first_beyond(steps, cpus);
    if (first != steps.begin() && std::prev(first)->cpus == cpus) --first;
    const auto end =
        std::find_if(first, steps.cend(), [&](const Step& step) { return step.limit < limit; });
    steps.insert(steps.erase(first, end), Step{cpus, limit});
  }
  Group& group(const QueueEntry& entry) {
    const Key key{entry.partition, entry.kind};
    if (last_ == nullptr || key != last_key_) {
      last_key_ = key;
      last_ = &groups_[key];
    }
    return *last_;
  }

  std::map<Key, Group> groups_;
  Key last_key_;
  Group* last_ = nullptr;
};

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

// Planned, but nobody has to wait for it.
bool keeps_nothing(const State& state, const Shape& shape) {
  return shape.qos && state.policy().qos[shape.qos->index()].flags.no_reserve;
}

// Those who come after this one: their memory is on its way when it is their turn.
void look_ahead(const State& state, const Queue& queue, std::size_t i) {
  constexpr std::size_t kJobs = 16;
  constexpr std::size_t kShapes = 8;
  const std::vector<QueueEntry>& entries = queue.entries();
  if (i + kJobs >= entries.size()) return;
  if (!entries[i + kJobs].gone) state.prefetch_job(entries[i + kJobs].job);
  if (!entries[i + kShapes].gone) state.prefetch_shape(entries[i + kShapes].job);
}

}  // namespace

void Scheduler::backfill_pass(const State& state, Queue& queue, Instant now, Decisions& out) {
  if (queue.empty()) return;
  reserves_ = !state.reservations().empty();
  const SchedulerSettings& settings = state.policy().scheduler;
  free_.read(state);
  std::fill(closed_.begin(), closed_.end(), false);
  const Instant latest = now + settings.backfill_window;
  const bool looks_at_all = tells_limits_ || shares_;
  LastChance& chance = chance_;
  const auto may_start = [&](const QueueEntry& entry) {
    return this->may_start(state, entry, now);
  };
  // Whether anybody could start does not depend on the order, which is not looked at for nothing.
  const auto look_from_the_end = [&] {
    chance.begin(state, queue, free_, now);
    if (!looks_at_all) chance.shrink(queue.head(), may_start);
    return chance.end() > queue.head();
  };
  if (!queue.is_tidy()) {
    if (!look_from_the_end()) return;
    queue.tidy();
  }
  if (!look_from_the_end()) return;
  const bool shrinks = !looks_at_all && !suspends_;
  forecast_.read(state, topology_, free_, now);
  kept_.begin(state, now, latest);
  // What a plan follows from is more than who holds nodes where there are reservations, or where a
  // partition may have only some CPUs of a node.
  if (plain_ || reserves_ || caps_cpus(state.policy())) kept_.forget();
  HopelessRequests hopeless;
  JobsLookedAt looked_at(settings);
  std::int32_t tested = 0;
  JobId last_job{};
  const bool long_queue = queue.size() > kLongQueue;
  for (std::size_t i = queue.head(); i < chance.end(); ++i) {
    if (long_queue) look_ahead(state, queue, i);
    if (queue.entries()[i].gone) continue;
    const bool covered = !plain_ && !reserves_ && hopeless.covers(queue.entries()[i]);
    const QueueEntry entry = queue.entries()[i];
    if (entry.job != last_job && tested++ >= settings.backfill_max_job_test) break;
    last_job = entry.job;
    if (looked_at.are_bounded() &&
        looked_at.leaves_out(state.shape_of_job(state.job(entry.job)).user, entry.partition))
      continue;
    // Without a place nobody starts; what else stops it matters only to who is told.
    if (covered && !tells_limits_) continue;
    while (true) {
      // Nobody is told, so what it is does not matter.
      if (!tells_limits_ && !may_start(entry)) break;
      const Job& job = state.job(entry.job);
      const Shape& shape = state.shape_of_job(job);
      const bool single = !job.is_array || state.find_array(job.array)->waiting.size() == 1;
      look_through(state, shape, now);
      forecast_.look_through(windows_.any() ? &windows_ : nullptr);
      // A job whose reservation has not begun is looked at no further.
      if (const auto shut = reservation_gate(now)) {
        out.wait(entry.job, entry.partition, *shut);
        break;
      }
      if (tells_limits_)
        if (auto reason = tell(state, entry, job, shape, now)) {
          // Where there is room now it is what the job would be given that a limit stops.
          if (is_limit(reason->rule) && !own_gate(state, entry, job, shape, now))
            if (const auto given = place_now(state, shape, entry.partition, now + job.limit))
              if (const auto of_given = limit_gate(state, job, shape, entry.partition, *given, now))
                reason = of_given;
          out.wait(entry.job, entry.partition, *reason);
          break;
        }
      if (covered) break;
      // Of the last only whether it starts matters, not when it would.
      const bool now_or_never = !reserves_ && shrinks && i + 1 == chance.end() &&
                                !entry.pushes_out && state.suspended().empty() &&
                                takes_any_node(shape);
      const Keeps keeps = keeps_nothing(state, shape)                  ? Keeps::kNoNodes
                          : may_reserve(state, queue, entry, job, now) ? Keeps::kNodes
                                                                       : Keeps::kNothing;
      Planned plan{now, {}};
      if (!now_or_never) {
        const auto found = earliest(state, entry, latest, keeps);
        if (!found) {
          hopeless.add(entry);
          break;
        }
        plan = *found;
      }
      std::optional<Allocation> allocation;
      if (plan.start == now) {
        allocation = place_now(state, shape, entry.partition, now + job.limit);
        if (!allocation && !now_or_never) kept_.cut();
      }
      if (allocation) {
        if (auto reason = limit_gate(state, job, shape, entry.partition, *allocation, now)) {
          out.wait(entry.job, entry.partition, *reason);
          kept_.cut();
          break;
        }
        // Ends are looked at in other groups from now on (forecast_search.cc).
        kept_.forget();
        hopeless.clear();
        forecast_.start(*allocation, now + job.limit);
        free_.take(*allocation);
        out.start(entry.job, entry.partition, *allocation);
        if (shrinks) chance.shrink(i + 1, may_start);
        if (single) break;
        continue;
      }
      if (now_or_never) break;
      if (preempts_ && push_out_for(state, entry, shape, now, out)) {
        kept_.forget();  // Nodes are held until other times now.
        hopeless.clear();
        forecast_.read_again();
        if (queue.entries()[i].gone) break;
        const auto found = earliest(state, entry, latest, keeps);
        if (!found) break;
        plan = *found;
      }
      // It could only have started at once.
      if (keeps == Keeps::kNothing) break;
      // Nothing is kept for a job that a limit would stop on the nodes of its plan.
      if (has_limits_ && nodes_change_request(shape, given_may_pass_)) {
        const TresVector asked =
            asked_on(state.policy(), shape, entry.partition, std::ssize(plan.nodes));
        if (const auto reason =
                limit_after_placement(state, shape, entry.partition, job.limit, asked, now)) {
          out.wait(entry.job, entry.partition, *reason);
          kept_.cut();
          break;
        }
      }
      if (keeps == Keeps::kNodes) {
        chance.reserve(plan.nodes, plan.start);
        if (shrinks) chance.shrink(i + 1, may_start);
        // Nobody looks at what is kept behind the last.
        if (i + 1 < chance.end()) forecast_.reserve(plan.nodes, plan.start, plan.start + job.limit);
      }
      out.plan(entry.job, plan.start, plan.nodes);
      break;
    }
  }
  kept_.end(state);
}

// What it got in the last pass, if it gets that again; else it is looked for.
std::optional<Scheduler::Planned> Scheduler::earliest(const State& state, const QueueEntry& entry,
                                                      Instant latest, Keeps keeps) {
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  if (const KeptPlan::Step* step = kept_.next(entry, job.spec)) {
#ifdef SLUICE_CHECKED
    const Earliest* anew =
        forecast_.earliest(shape, entry.kind, entry.partition, job.limit, latest);
    CHECK((anew != nullptr) == step->found, "a kept plan is there or not as it would be anew");
    CHECK(anew == nullptr || (anew->start == step->start &&
                              std::ranges::equal(anew->nodes, kept_.nodes_of(*step))),
          "a kept plan is what it would be anew");
#endif
    if (!step->found) return std::nullopt;
    return Planned{step->start, kept_.nodes_of(*step)};
  }
  const Earliest* found = forecast_.earliest(shape, entry.kind, entry.partition, job.limit, latest);
  // Where nothing is kept free for it, a job that starts may be in its way.
  if (keeps != Keeps::kNodes)
    kept_.cut();
  else if (found == nullptr)
    kept_.add_hopeless(entry, job.spec, forecast_.first_behind());
  else if (found->start > forecast_.now())
    kept_.add(entry, job.spec, found->start, found->nodes,
              topology_.candidates(entry.partition).size() == 1 ? KeptPlan::Choice::kNone
                                                                : KeptPlan::Choice::kSeveralNodes);
  if (found == nullptr) return std::nullopt;
  return Planned{found->start, found->nodes};
}

// Where there are no nodes for it slurmctld gets neither to licenses nor to limits of the request.
std::optional<Reason> Scheduler::tell(const State& state, const QueueEntry& entry, const Job& job,
                                      const Shape& shape, Instant now) const {
  const bool nowhere = !shape.names_nodes && has_too_few_nodes(shape, entry.partition);
  if (auto reason = gate(state, entry, job, shape, now))
    return nowhere && reason->rule == Rule::kLicenses ? Reason{} : *reason;
  // Those that depend on the nodes of the plan are looked at when there is one.
  if (nodes_change_request(shape, given_may_pass_)) return std::nullopt;
  if (auto reason = limit_of_request(state, job, shape, entry.partition, now))
    return nowhere ? Reason{} : *reason;
  return std::nullopt;
}

std::optional<Allocation> Scheduler::place_now(const State& state, const Shape& shape,
                                               PartitionId partition, Instant end) {
  NodeBits closed;
  if (shares_) closed = nodes_closed_to(state, shape, partition);
  const auto is_open = [&](NodeId node) {
    return forecast_.is_open(node, forecast_.now(), end) && (!shares_ || !closed.test(node));
  };
  free_.candidates(shape, partition, candidates_, is_open);
  auto found = place_within_cap(state, topology_, shape, partition, free_.all(), candidates_);
  if (!shares_) return found;
  if (!found) {
    open_ = free_.all();
    for (NodeId node : topology_.candidates(partition))
      if (!is_open(node)) open_[node.index()].usable = false;
    found = place_in_layers(state, topology_, shape, partition, open_);
  }
  return on_its_cpus(state, shape, partition, std::move(found));
}

}  // namespace sluice
