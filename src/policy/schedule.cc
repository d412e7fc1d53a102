// The main pass: in order, partition by partition, until something lacks room.
#include "policy/schedule.h"

#include <algorithm>

#include "policy/asked_on_nodes.h"
#include "policy/cpu_cap.h"
#include "policy/feasibility.h"
#include "policy/gang.h"
#include "policy/limits.h"
#include "policy/partition_access.h"
#include "policy/preemption.h"
#include "policy/shared_nodes.h"

namespace sluice {
namespace {

// Only the number of CPUs of one node can keep a job waiting.
bool only_cpus_count(const Policy& policy) {
  if (policy.nodes.size() != 1 || policy.partitions.size() != 1) return false;
  const Node& node = policy.nodes.front();
  const Partition& partition = policy.partitions.front();
  return node.gpus.empty() && node.threads_per_core <= 1 && !policy.jobs.memory_is_consumable &&
         partition.state == PartitionState::kUp && !partition.max_time && !partition.max_nodes &&
         partition.min_nodes == 0 && !partition.qos && !partition.max_cpus_per_node &&
         partition.oversubscribe == OverSubscribe::kNo && policy.associations.size() <= 1 &&
         !policy.enforce.limits && policy.licenses.empty() &&
         policy.preemption.type == PreemptType::kNone;
}

bool some_limit_is_of_time(const Policy& policy) {
  const auto is_of_time = [](const GroupLimits& group) {
    return !group.tres_minutes.empty() || !group.tres_run_minutes.empty() || group.wall;
  };
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [&](const Qos& qos) { return is_of_time(qos.group); }) ||
         std::any_of(policy.associations.begin(), policy.associations.end(),
                     [&](const Association& assoc) { return is_of_time(assoc.group); });
}

// Where a job may be given what passes although what it asks for does not: that may be too little,
// or too much for one node, and nodes on which its like run already do not count again.
bool given_may_pass_better(const Policy& policy) {
  const auto one_job = [](const JobLimits& job) {
    return !job.min_tres.empty() || !job.max_tres_node.empty();
  };
  const auto nodes = [](const TresLimits& limits) { return limits.has(kTresNode); };
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [&](const Qos& qos) {
                       return one_job(qos.job) || nodes(qos.group.tres) ||
                              nodes(qos.user.max_tres) || nodes(qos.account.max_tres);
                     }) ||
         std::any_of(policy.associations.begin(), policy.associations.end(),
                     [&](const Association& assoc) {
                       return one_job(assoc.job) || nodes(assoc.group.tres);
                     });
}

bool somebody_is_suspended(const Policy& policy) {
  const auto suspends = [](const auto& with_mode) {
    return with_mode.preempt_mode == PreemptMode::kSuspend;
  };
  return policy.preemption.type != PreemptType::kNone &&
         (policy.preemption.mode == PreemptMode::kSuspend ||
          std::any_of(policy.qos.begin(), policy.qos.end(), suspends) ||
          std::any_of(policy.partitions.begin(), policy.partitions.end(), suspends));
}

// Backfill looks at limits before licenses, the main loop the other way round; what the last of
// them says stays.
std::optional<Reason> said_last(const Policy& policy, const std::optional<Reason>& license,
                                const std::optional<Reason>& own) {
  if (policy.scheduler.type == SchedulerType::kBackfill) return own ? own : license;
  return license ? license : own;
}

// The node with nobody on it.
NodeFree idle_node(const State& state, std::size_t i, PartitionId partition, const Shape& shape) {
  const NodeUse& use = state.nodes()[i];
  NodeFree out{use.cpus, 0, use.memory, use.gpus, use.state == NodeState::kUp};
  cap_cpus(out, state.policy().nodes[i], state.policy().partitions[partition.index()], 0, shape);
  return out;
}

// Whether reservations keep any of the partition's nodes from the job during that time.
bool is_barred(const JobWindows& windows, const Topology& topology, PartitionId partition,
               Instant from, Instant until) {
  return windows.any() &&
         std::any_of(topology.candidates(partition).begin(), topology.candidates(partition).end(),
                     [&](NodeId node) { return !windows.is_open(node, from, until); });
}

}  // namespace

void Scheduler::adopt(const Policy& policy) {
  topology_ = Topology(policy);
  free_.adopt(topology_);
  fits_idle_.clear();
  flat_ = only_cpus_count(policy) && !plain_;
  has_limits_ = policy.enforce.limits;
  limits_set_ = LimitPresence(policy);
  limit_memory_.adopt(policy);
  kept_.forget();
  windows_.clear();
  full_.clear();
  given_may_pass_ = given_may_pass_better(policy);
  time_lifts_ = has_limits_ && some_limit_is_of_time(policy);
  tells_limits_ = explain_ || time_lifts_ || plain_;
  preempts_ = policy.preemption.type != PreemptType::kNone;
  suspends_ = somebody_is_suspended(policy);
  shares_ = std::any_of(policy.partitions.begin(), policy.partitions.end(), [](const Partition& p) {
    return p.oversubscribe == OverSubscribe::kForce || p.oversubscribe == OverSubscribe::kYes;
  });
  closed_.assign(policy.partitions.size(), false);
}

std::optional<Allocation> Scheduler::place_somewhere(const State& state, const Shape& shape,
                                                     PartitionId partition, Instant now,
                                                     Duration limit) {
  NodeBits closed;
  if (shares_) closed = nodes_closed_to(state, shape, partition);
  const bool all = !windows_.any();
  const auto is_open = [&](NodeId node) {
    return (all || windows_.is_open(node, now, now + limit)) && (!shares_ || !closed.test(node));
  };
  free_.candidates(shape, partition, candidates_, is_open);
  auto found = place_within_cap(state, topology_, shape, partition, free_.all(), candidates_);
  if (!shares_) return found;
  if (!found) {
    std::vector<NodeFree> open = open_nodes(now, now + limit);
    close_nodes(closed, open);
    found = place_in_layers(state, topology_, shape, partition, open);
  }
  return on_its_cpus(state, shape, partition, std::move(found));
}

// Where CPUs are shared it is said which.
std::optional<Allocation> Scheduler::on_its_cpus(const State& state, const Shape& shape,
                                                 PartitionId partition,
                                                 std::optional<Allocation> found) {
  if (found && layers_for(state.policy().partitions[partition.index()], shape) > 1)
    assign_cpus(state, *found);
  return found;
}

void Scheduler::look_through(const State& state, const Shape& shape, Instant now) {
  if (reserves_ || shape.in_reservation)
    windows_.read(state, shape, now);
  else
    windows_.clear();
}

std::optional<Reason> Scheduler::reservation_gate(Instant now) const {
  if (windows_.missing()) return Reason{.rule = Rule::kReservationDeleted};
  if (!windows_.begins_later(now)) return std::nullopt;
  return Reason{.rule = Rule::kReservation, .limit = to_seconds(windows_.own()->told.start)};
}

const std::vector<NodeFree>& Scheduler::open_nodes(Instant now, Instant end) {
  if (!windows_.any()) return free_.all();
  open_ = free_.all();
  for (std::uint32_t i = 0; i < open_.size(); ++i)
    if (!windows_.is_open(NodeId(i), now, end)) open_[i].usable = false;
  return open_;
}

std::optional<Reason> Scheduler::license_gate(const State& state, const Shape& shape) const {
  if (!shape.has_licenses) return std::nullopt;
  for (const LicenseRequest& wanted : shape.request->licenses)
    for (std::size_t i = 0; i < state.policy().licenses.size(); ++i) {
      const License& license = state.policy().licenses[i];
      const std::int64_t taken = state.licenses_taken(LicenseId(static_cast<std::uint32_t>(i)));
      if (license.name == wanted.name && taken + wanted.count > license.count)
        return Reason{
            .rule = Rule::kLicenses, .limit = license.count, .used = taken, .asked = wanted.count};
    }
  return std::nullopt;
}

std::optional<Reason> Scheduler::gate(const State& state, const QueueEntry& entry, const Job& job,
                                      const Shape& shape, Instant now) const {
  if (auto reason = partition_gate(state, shape, entry.partition, job.limit)) return reason;
  return said_last(state.policy(), license_gate(state, shape),
                   own_gate(state, entry, job, shape, now));
}

std::optional<Reason> Scheduler::own_gate(const State& state, const QueueEntry& entry,
                                          const Job& job, const Shape& shape, Instant now) const {
  if (job.array != JobId{})
    if (auto reason = array_gate(state, job)) return reason;
  return limit_before(state, job, shape, entry.partition, now);
}

bool Scheduler::may_reserve(const State& state, const Queue& queue, const QueueEntry& entry,
                            const Job& job, Instant now) {
  const SchedulerSettings& settings = state.policy().scheduler;
  if (settings.backfill_min_prio_reserve &&
      queue.priority(entry) < *settings.backfill_min_prio_reserve)
    return false;
  return settings.backfill_min_age_reserve <= Duration(0) ||
         now - job.eligible_since >= settings.backfill_min_age_reserve;
}

std::optional<Reason> Scheduler::array_gate(const State& state, const Job& job) {
  const Array* array = state.find_array(job.array);
  if (!array->throttle || array->holding < *array->throttle) return std::nullopt;
  return Reason{
      .rule = Rule::kArrayTaskLimit, .limit = *array->throttle, .used = array->holding, .asked = 1};
}

std::optional<Reason> Scheduler::limit_before(const State& state, const Job& job,
                                              const Shape& shape, PartitionId partition,
                                              Instant now) const {
  if (!has_limits_ || !limits_set_.any_before_placement(shape, partition)) return std::nullopt;
  return limit_before_placement(state, shape, partition, job.limit, now);
}

std::optional<Reason> Scheduler::limit_gate(const State& state, const Job& job, const Shape& shape,
                                            PartitionId partition, const Allocation& allocation,
                                            Instant now) const {
  if (!has_limits_) return std::nullopt;
  const TresVector tres = tres_of(state.policy(), shape, partition, allocation);
  return limit_after_placement(state, shape, partition, job.limit, tres, now, &allocation);
}

std::optional<Reason> Scheduler::limit_of_request(const State& state, const Job& job,
                                                  const Shape& shape, PartitionId partition,
                                                  Instant now) const {
  if (!has_limits_) return std::nullopt;
  if (!nodes_change_request(shape, given_may_pass_))
    return limit_after_placement(state, shape, partition, job.limit, shape.asked, now);
  // slurmctld counts the nodes that it would give the job if all that are up were idle.
  std::vector<NodeFree> idle(state.nodes().size());
  for (std::size_t i = 0; i < idle.size(); ++i) idle[i] = idle_node(state, i, partition, shape);
  const auto found = place(topology_, shape, partition, idle);
  const TresVector asked = asked_on(state.policy(), shape, partition,
                                    found ? std::ssize(found->shares()) : shape.min_nodes);
  return limit_after_placement(state, shape, partition, job.limit, asked, now);
}

bool Scheduler::may_start(const State& state, const QueueEntry& entry, Instant now) {
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  if (job.array != JobId{} && array_gate(state, job)) return false;
  if (license_gate(state, shape)) return false;
  const auto known = limit_memory_.recall(state, entry, job.spec, shape);
#ifndef SLUICE_CHECKED
  if (known) return *known;
#endif
  const bool with_more_nodes_less_on_each =
      !has_limits_ || (given_may_pass_ && nodes_change_request(shape, given_may_pass_));
  const bool passes =
      !partition_gate(state, shape, entry.partition, job.limit) &&
      !limit_before(state, job, shape, entry.partition, now) &&
      (with_more_nodes_less_on_each ||
       !limit_after_placement(state, shape, entry.partition, job.limit, shape.asked, now));
  CHECK(!known || *known == passes, "limits let through what they did while nothing changes");
  limit_memory_.note(state, entry, job.spec, passes);
  return passes;
}

bool Scheduler::push_out_for(const State& state, const QueueEntry& entry, const Shape& shape,
                             Instant now, Decisions& out) {
  const Job& job = state.job(entry.job);
  const auto found = find_push_out(state, topology_, shape, entry.partition,
                                   open_nodes(now, now + job.limit), now);
  if (!found) return false;
  // Nobody is pushed out for a job that a limit would keep waiting all the same.
  if (limit_gate(state, job, shape, entry.partition, found->allocation, now)) return false;
  for (const Victim& victim : found->victims) out.push_out(victim.job, entry.job, victim.mode);
  if (!found->at_once) return true;
  free_.follow(state);
  free_.take(found->allocation);
  out.start(entry.job, entry.partition, found->allocation);
  return true;
}

Scheduler::Stop Scheduler::start_now(const State& state, const QueueEntry& look, Instant now,
                                     Decisions& out, Reason& why) {
  while (true) {
    const Job& job = state.job(look.job);
    const Shape& shape = state.shape_of_job(job);
    const bool too_few = !shape.names_nodes && has_too_few_nodes(shape, look.partition);
    // Where nobody is told, whatever stops it but room is the same to those behind it.
    const bool quiet = !tells_limits_ && !reserves_ && !too_few && asks_for_least(look) &&
                       !(has_limits_ && nodes_change_request(shape, given_may_pass_));
    look_through(state, shape, now);
    // A job whose reservation has not begun is looked at no further.
    if (auto reason = reservation_gate(now)) {
      why = *reason;
      return Stop::kGate;
    }
    if (!quiet)
      if (auto reason = partition_gate(state, shape, look.partition, job.limit)) {
        why = *reason;
        return Stop::kGate;
      }
    // Who waits for room in a reservation closes that, and not the partition.
    const bool closed = shape.in_reservation
                            ? std::find(full_.begin(), full_.end(), windows_.own()) != full_.end()
                            : static_cast<bool>(closed_[look.partition.index()]);
    if (closed) {
      why = Reason{.rule = Rule::kPriority};
      return Stop::kGate;
    }
    if (quiet) {
      if (!may_start(state, look, now)) return Stop::kGate;
    } else {
      // No nodes are missed more than licenses.
      const auto shut = said_last(state.policy(), license_gate(state, shape),
                                  own_gate(state, look, job, shape, now));
      if (too_few && (!shut || shut->rule == Rule::kLicenses)) {
        why = Reason{.rule = Rule::kResources};
        return Stop::kNoRoom;
      }
      if (shut) {
        why = *shut;
        return Stop::kGate;
      }
    }
    std::optional<Allocation> allocation;
    // Most that find no place fail here.
    if (shares_ || free_.room() >= look.cpus)
      allocation = place_somewhere(state, shape, look.partition, now, job.limit);
    if (!allocation) {
      // A limit that is broken as well is the reason: waiting for room would not help, and nobody
      // behind it has to wait for that.
      if (!quiet)
        if (auto reason = limit_of_request(state, job, shape, look.partition, now)) {
          why = *reason;
          return Stop::kLimit;
        }
      why = Reason{.rule = Rule::kResources};
      return Stop::kNoRoom;
    }
    if (auto reason = limit_gate(state, job, shape, look.partition, *allocation, now)) {
      why = *reason;
      return Stop::kLimit;
    }
    const std::size_t left = job.is_array ? state.find_array(job.array)->waiting.size() : 1;
    free_.take(*allocation);
    out.start(look.job, look.partition, *allocation);
    if (left == 1) return Stop::kStarted;
  }
}

bool Scheduler::has_too_few_nodes(const Shape& shape, PartitionId partition) const {
  return free_.usable_in(partition) < shape.min_nodes;
}

// There are enough nodes, but even with all that are up to itself the job would not fit.
// Where reservations leave it too little for as long as it may run, it is one of them that is
// named.
std::optional<Reason> Scheduler::lacks_nodes(const State& state, const QueueEntry& entry,
                                             Instant now) {
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  const std::vector<std::string>& named = shape.request->require_nodes;
  if (named.empty() && has_too_few_nodes(shape, entry.partition)) return std::nullopt;
  if (is_barred(windows_, topology_, entry.partition, now, now + job.limit) &&
      !would_fit_idle(state, shape, entry.partition, &windows_, now, job.limit) &&
      would_fit_idle(state, shape, entry.partition, nullptr, now, job.limit)) {
    Reason reason{.rule = Rule::kNodeReserved, .asked = to_seconds(job.limit)};
    for (const JobWindows::Bar& bar : windows_.bars())
      if (bar.until > now && bar.from < now + job.limit) {
        reason.limit = to_seconds(bar.from);
        reason.holder_id = static_cast<std::uint32_t>(bar.by - state.reservations().data());
        break;
      }
    return reason;
  }
  if (node_states_ != state.node_changes().states()) fits_idle_.clear();
  node_states_ = state.node_changes().states();
  const auto [known, is_new] = fits_idle_.try_emplace({job.spec, entry.partition}, true);
  // A job that was held, or that a limit stopped, when it was submitted may fit nowhere. One of
  // several partitions is only passed over there.
  const auto ever_fits = [&] {
    return shape.partitions.size() > 1 || could_ever_hold(state.policy(), shape, entry.partition);
  };
  if (is_new)
    known->second =
        would_fit_idle(state, shape, entry.partition, nullptr, now, job.limit) && ever_fits();
  if (known->second) return std::nullopt;
  return Reason{.rule = ever_fits() ? Rule::kNodeNotAvailable : Rule::kBadConstraints};
}

bool Scheduler::would_fit_idle(const State& state, const Shape& shape, PartitionId partition,
                               const JobWindows* windows, Instant now, Duration limit) const {
  // Nodes that this pass keeps for others do not count beside those that reservations leave.
  const auto is_kept = [&](std::size_t node) {
    if (!free_.all()[node].usable) return true;
    for (std::size_t p = 0; p < closed_.size(); ++p)
      if (closed_[p] &&
          topology_.places(PartitionId(static_cast<std::uint32_t>(p)))[node] != Topology::kNowhere)
        return true;
    return false;
  };
  bool all_up = true;
  std::vector<NodeFree> idle(state.nodes().size());
  for (std::size_t i = 0; i < idle.size(); ++i) {
    idle[i] = idle_node(state, i, partition, shape);
    if (windows != nullptr &&
        (is_kept(i) || !windows->is_open(NodeId(static_cast<std::uint32_t>(i)), now, now + limit)))
      idle[i].usable = false;
    all_up = all_up && idle[i].usable;
  }
  return all_up || place(topology_, shape, partition, idle);
}

// Nobody else of the partition starts in this pass, nor anybody on its nodes; of a job for certain
// nodes, only nobody on these.
bool Scheduler::keep_named(const State& state, const QueueEntry& entry) {
  const Shape& shape = state.shape_of_job(state.job(entry.job));
  const std::vector<std::string>& named = shape.request->require_nodes;
  if (named.empty() || std::ssize(named) < shape.min_nodes) return false;
  for (const std::string& name : named)
    if (const auto node = state.policy().find_node(name)) free_.close(*node);
  return true;
}

void Scheduler::keep_for(const State& state, const QueueEntry& entry, std::size_t& open) {
  if (keep_named(state, entry)) return;
  if (windows_.own() != nullptr) {
    full_.push_back(windows_.own());
    return;
  }
  closed_[entry.partition.index()] = true;
  --open;
  free_.close(entry.partition);
  // Those who look at every node must see it there.
  if (preempts_ || shares_ || plain_)
    for (NodeId node : topology_.candidates(entry.partition)) free_.close(node);
}

// Ends and time only loosen what stops a job: if it had nothing but room against it when last
// looked at, and nobody started since, that is still so. Whoever comes after it waits for it.
bool Scheduler::still_blocked(const State& state, const Queue& queue) const {
  if (!blocker_ || blocker_->starts != state.starts()) return false;
  const QueueEntry& first = queue.entries()[queue.head()];
  return first.job == blocker_->job && !chance_.has_room(first);
}

bool Scheduler::may_block_again(const State& state, const QueueEntry& entry) const {
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  return closed_.size() == 1 && closed_.front() && !entry.pushes_out && job.array == JobId{} &&
         !shape.has_licenses;
}

bool Scheduler::main_pass(const State& state, Queue& queue, Instant now, SincePass since,
                          Decisions& out) {
  reserves_ = !state.reservations().empty();
  if (since == SincePass::kAnything || reserves_) blocker_.reset();
  if (queue.empty()) return false;
  full_.clear();
  free_.read(state);
  std::fill(closed_.begin(), closed_.end(), false);
  if (!tells_limits_ && !shares_) {
    // Where nobody is told why it waits, a pass in which nobody can start leaves no trace.
    chance_.begin(state, queue, free_, now);
    chance_.shrink(queue.head(), [&](const QueueEntry& e) {
      return !asks_for_least(e) || may_start(state, e, now);
    });
    if (chance_.end() <= queue.head()) return false;
    queue.tidy();
    if (still_blocked(state, queue)) return true;
  } else {
    queue.tidy();
  }
  blocker_.reset();
  std::size_t open = closed_.size();
  const SchedulerSettings& settings = state.policy().scheduler;
  std::int32_t depth = settings.default_queue_depth;
  const bool builtin = settings.type == SchedulerType::kBuiltin;
  std::vector<std::int32_t> looked_at(closed_.size(), 0);  // By partition.
  JobId last{};
  for (std::size_t i = queue.head(); i < queue.entries().size(); ++i) {
    if (queue.entries()[i].gone) continue;
    // Copied: whoever starts may bring others into the queue.
    const QueueEntry entry = queue.entries()[i];
    // What is closed to it in its next partition is said of the last one too.
    if (open == 0 && entry.job != last) {
      if (!reserves_) break;
      // Jobs of reservations do not wait for partitions.
      if (!state.shape_of_job(state.job(entry.job)).in_reservation) continue;
    }
    last = entry.job;
    // Backfill looks at the whole queue; this pass is the quick reaction.
    if (!builtin && depth-- <= 0) break;
    if (settings.partition_job_depth &&
        looked_at[entry.partition.index()]++ >= *settings.partition_job_depth)
      continue;
    Reason why;
    const Stop stop = start_now(state, entry, now, out, why);
    if (stop == Stop::kStarted) continue;
    if (stop == Stop::kNoRoom)
      if (const auto lacks = lacks_nodes(state, entry, now)) {
        // Not room but nodes are missing: nobody behind it has to wait for that. Nodes that it
        // names are kept for it all the same, unless they are down.
        if (lacks->rule == Rule::kNodeReserved) keep_named(state, entry);
        out.wait(entry.job, entry.partition, *lacks);
        continue;
      }
    if (stop == Stop::kNoRoom) {
      const Shape& shape = state.shape_of_job(state.job(entry.job));
      if (preempts_ && push_out_for(state, entry, shape, now, out) && queue.entries()[i].gone)
        continue;
      if (may_reserve(state, queue, entry, state.job(entry.job), now)) keep_for(state, entry, open);
      if (may_block_again(state, entry)) blocker_ = Blocker{entry.job, state.starts()};
    }
    out.wait(entry.job, entry.partition, why);
  }
  return true;
}

}  // namespace sluice
