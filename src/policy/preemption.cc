// Picks victims as slurmctld does: the least important first, then none that is not needed.
#include "policy/preemption.h"

#include <algorithm>

#include "policy/cpu_cap.h"
#include "policy/shared_nodes.h"

namespace sluice {
namespace {

struct Candidate {
  Victim victim;
  std::int64_t rank = 0;  // QoS priority or partition tier: lower is pushed out first.
  std::size_t nodes = 0;
  Instant started;
  // Order of slurmctld's records. The last task of an array has the array's number, but its record
  // is younger than those of the tasks before it.
  JobId record;
  bool last_of_array = false;
};

// What the nodes would have without some jobs.
struct Left {
  std::vector<NodeFree> nodes;
  CpuCap cap;

  void remove(const Run& run) {
    give(nodes, run.allocation);
    cap.leave(run);
  }
  // Suspended jobs keep their memory and GPUs.
  void remove(const State& state, const Victim& victim) {
    const Run& run = state.run_of(state.job(victim.job));
    if (victim.mode != PreemptMode::kSuspend) return remove(run);
    give_cpus(run);
    cap.leave(run);
  }
  void give_cpus(const Run& run) {
    for (const NodeShare& share : run.allocation.shares())
      if (share.layer == 0) nodes[share.node.index()].cpus += share.cpus;
  }
  std::optional<Allocation> place(const Topology& topology, const Shape& shape,
                                  PartitionId partition) const {
    if (!cap.is_set()) return sluice::place(topology, shape, partition, nodes);
    std::vector<NodeFree> within = nodes;
    cap.apply(topology.policy(), shape, within);
    return sluice::place(topology, shape, partition, within);
  }
};

std::ptrdiff_t common_nodes(const Allocation& a, const Allocation& b) {
  return std::count_if(a.shares().begin(), a.shares().end(), [&](const NodeShare& x) {
    return std::any_of(b.shares().begin(), b.shares().end(),
                       [&](const NodeShare& y) { return x.node == y.node; });
  });
}

// Of the first `needed`, the one that tipped the balance may do alone: it comes first, then those
// that have most of the nodes which the job would get. In strict order (preempt_strict_order) the
// others stay as they were.
void put_first(const State& state, std::vector<Candidate>& candidates, std::size_t needed,
               const Allocation& fits) {
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(needed);
  std::rotate(candidates.begin(), end - 1, end);
  if (state.policy().preemption.strict_order) return;
  const auto common = [&](const Candidate& candidate) {
    return common_nodes(state.run_of(state.job(candidate.victim.job)).allocation, fits);
  };
  std::stable_sort(candidates.begin() + 1, end,
                   [&](const Candidate& a, const Candidate& b) { return common(a) > common(b); });
}

std::vector<Candidate> candidates_for(const State& state, const Shape& shape, PartitionId partition,
                                      Instant now) {
  const Policy& policy = state.policy();
  std::vector<Candidate> out;
  for (const ExpectedEnd& end : state.expected_ends()) {
    const Job& job = state.job(end.job);
    if (job.state != JobState::kRunning) continue;
    const auto mode = may_push_out(state, shape, partition, job, now);
    if (!mode) continue;
    const Shape& theirs = state.shape_of_job(job);
    const Run& run = state.run_of(job);
    const std::int64_t rank = policy.preemption.type == PreemptType::kQos
                                  ? (theirs.qos ? policy.qos[theirs.qos->index()].priority : 0)
                                  : policy.partitions[run.partition.index()].priority_tier;
    out.push_back({{job.id, *mode}, rank, run.allocation.size(), run.started, job.id});
    if (job.array == job.id && !job.is_array) out.back().last_of_array = true;
  }
  for (Candidate& last : out) {
    if (!last.last_of_array) continue;
    for (const Candidate& other : out)
      if (state.job(other.victim.job).array == last.victim.job)
        last.record = std::max(last.record, other.victim.job);
  }
  const bool youngest = policy.preemption.youngest_first;
  std::sort(out.begin(), out.end(), [&](const Candidate& a, const Candidate& b) {
    if (youngest && a.started != b.started) return a.started > b.started;
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.nodes != b.nodes) return a.nodes < b.nodes;
    if (a.record != b.record) return a.record < b.record;
    return a.last_of_array < b.last_of_array;
  });
  return out;
}

}  // namespace

bool may_push_anybody_out(const Policy& policy, const Shape& shape) {
  if (policy.preemption.type == PreemptType::kQos)
    return shape.qos && !policy.qos[shape.qos->index()].preempt.empty();
  return policy.preemption.type != PreemptType::kNone;
}

Duration exempt_time(const Policy& policy, const Shape& victim) {
  if (victim.qos)
    if (auto own = policy.qos[victim.qos->index()].preempt_exempt_time) return *own;
  return policy.preemption.exempt_time;
}

bool exempts_anybody(const Policy& policy) {
  if (policy.preemption.type == PreemptType::kNone) return false;
  return policy.preemption.exempt_time > Duration(0) ||
         std::any_of(policy.qos.begin(), policy.qos.end(), [](const Qos& qos) {
           return qos.preempt_exempt_time.value_or(Duration(0)) > Duration(0);
         });
}

PreemptMode preempt_mode_of(const State& state, const Job& victim) {
  const Policy& policy = state.policy();
  const PreemptMode mode = policy.preemption.mode;
  if (policy.preemption.type == PreemptType::kQos) {
    const auto& qos = state.shape_of_job(victim).qos;
    return qos ? policy.qos[qos->index()].preempt_mode.value_or(mode) : mode;
  }
  return policy.partitions[state.run_of(victim).partition.index()].preempt_mode.value_or(mode);
}

std::optional<PreemptMode> may_push_out(const State& state, const Shape& preemptor,
                                        PartitionId partition, const Job& victim, Instant now) {
  const Policy& policy = state.policy();
  if (victim.state != JobState::kRunning && victim.state != JobState::kSuspended)
    return std::nullopt;
  const Shape& theirs = state.shape_of_job(victim);
  const Run& run = state.run_of(victim);
  if (policy.preemption.type == PreemptType::kQos) {
    if (!preemptor.qos || !theirs.qos) return std::nullopt;
    const auto& below = policy.qos[preemptor.qos->index()].preempt;
    if (std::find(below.begin(), below.end(), *theirs.qos) == below.end()) return std::nullopt;
  } else {
    if (policy.partitions[partition.index()].priority_tier <=
        policy.partitions[run.partition.index()].priority_tier)
      return std::nullopt;
  }
  if (now - run.started < exempt_time(policy, theirs)) return std::nullopt;
  const PreemptMode mode = preempt_mode_of(state, victim);
  if (mode == PreemptMode::kOff) return std::nullopt;
  // Inside one partition CPUs change hands by suspension only where they may be shared.
  if (mode == PreemptMode::kSuspend && policy.preemption.type == PreemptType::kQos &&
      policy.partitions[run.partition.index()].oversubscribe != OverSubscribe::kForce)
    return std::nullopt;
  return mode;
}

std::optional<PushOut> find_push_out(const State& state, const Topology& topology,
                                     const Shape& shape, PartitionId partition,
                                     const std::vector<NodeFree>& free, Instant now) {
  const auto is_leaving = [&](const ExpectedEnd& end) {
    const Job& job = state.job(end.job);
    return job.state == JobState::kCompleting ||
           (job.state == JobState::kRunning && state.run_of(job).warned);
  };
  const std::vector<ExpectedEnd>& ends = state.expected_ends();
  // Whoever was told to leave stays beyond its plan, or has a deadline.
  const bool any_leaving = !(state.overstaying().empty() && state.warned().empty()) &&
                           std::any_of(ends.begin(), ends.end(), is_leaving);
  if (!any_leaving && state.suspended().empty() && !may_push_anybody_out(state.policy(), shape))
    return std::nullopt;
  // Those already on their way out are as good as gone.
  Left leaving{free, CpuCap(state, partition)};
  if (any_leaving)
    for (const ExpectedEnd& end : ends)
      if (is_leaving(end)) leaving.remove(state.run_of(state.job(end.job)));
  // Whoever is suspended stays on its nodes.
  if (has_shared_nodes(state.policy()))
    close_nodes(nodes_closed_to(state, shape, partition,
                                [&](const Job& job) {
                                  const auto mode = may_push_out(state, shape, partition, job, now);
                                  return !mode || *mode == PreemptMode::kSuspend;
                                }),
                leaving.nodes);
  // CPUs of those suspended for others are there for this job too, if it may push them out.
  bool any_suspended = false;
  for (JobId id : state.suspended()) {
    const Job& job = state.job(id);
    const Run& run = state.run_of(job);
    if (run.suspended_by != SuspendedBy::kPreemption) continue;
    if (!may_push_out(state, shape, partition, job, now)) continue;
    leaving.give_cpus(run);
    any_suspended = true;
  }
  if (any_suspended && !any_leaving)
    if (auto fits = leaving.place(topology, shape, partition)) return PushOut{{}, *fits, true};
  if (any_leaving)
    if (auto fits = leaving.place(topology, shape, partition)) return PushOut{{}, *fits, false};

  std::vector<Candidate> candidates = candidates_for(state, shape, partition, now);
  std::erase_if(candidates,
                [&](const Candidate& c) { return state.run_of(state.job(c.victim.job)).warned; });
  const std::size_t all = candidates.size();
  // Nodes kept for others are of no use.
  std::erase_if(candidates, [&](const Candidate& c) {
    const auto shares = state.run_of(state.job(c.victim.job)).allocation.shares();
    return std::none_of(shares.begin(), shares.end(),
                        [&](const NodeShare& share) { return free[share.node.index()].usable; });
  });

  std::optional<Allocation> fits;
  Left without = leaving;
  std::size_t needed = 0;
  auto remove_until_it_fits = [&] {
    without = leaving;
    for (needed = 0; needed < candidates.size() && !fits;) {
      without.remove(state, candidates[needed].victim);
      ++needed;
      fits = without.place(topology, shape, partition);
    }
  };
  remove_until_it_fits();
  if (!fits) return std::nullopt;
  // As often as slurmctld does: preempt_reorder_count and once more, but for few candidates.
  const std::size_t times = state.policy().preemption.reorder ? 2 : 1;
  for (std::size_t time = 0; time < times && all > time + 1; ++time) {
    put_first(state, candidates, needed, *fits);
    fits.reset();
    remove_until_it_fits();
  }
  std::vector<Victim> victims;
  for (std::size_t i = 0; i < needed; ++i) victims.push_back(candidates[i].victim);
  // Nobody is pushed out for nothing: try without each, the most important first.
  for (std::size_t i = victims.size(); i-- > 0;) {
    if (common_nodes(state.run_of(state.job(victims[i].job)).allocation, *fits) == 0) {
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    Left spared = leaving;
    for (std::size_t k = 0; k < victims.size(); ++k)
      if (k != i) spared.remove(state, victims[k]);
    if (auto still = spared.place(topology, shape, partition)) {
      fits = still;
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  PushOut out;
  out.at_once = !any_leaving && std::all_of(victims.begin(), victims.end(), [](const Victim& v) {
    return v.mode == PreemptMode::kSuspend;
  });
  out.victims = std::move(victims);
  out.allocation = *fits;
  return out;
}

}  // namespace sluice
