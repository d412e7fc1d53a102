// Gates first, then room, then the limits on what was found.
#include "policy/pass.h"

#include "policy/asked_on_nodes.h"
#include "policy/preemption.h"

namespace sluice {

Pass::Stop Pass::start_now(const PassInput& input, const QueueEntry& entry, Reason& why) {
  const State& state = input.state;
  const Instant now = input.now;
  while (true) {
    const Job& job = state.job(entry.job);
    const Shape& shape = state.shape_of_job(job);
    const bool too_few = !shape.names_nodes && kit_.room.has_too_few_nodes(shape, entry.partition);
    // Where nobody is told, whatever stops it but room is the same to those behind it.
    const bool quiet =
        !kit_.shortcuts.tells_limits() && !kit_.room.reserves() && !too_few &&
        kit_.gates.asks_for_least(entry) &&
        !(kit_.traits.has_limits && nodes_change_request(shape, kit_.traits.given_may_pass));
    kit_.room.look_through(state, shape, now);
    // A job whose reservation has not begun is looked at no further.
    if (auto reason = kit_.room.reservation_gate(now)) {
      why = *reason;
      return Stop::kGate;
    }
    if (!quiet)
      if (auto reason = kit_.gates.partition(state, entry, job, shape)) {
        why = *reason;
        return Stop::kGate;
      }
    if (is_closed_to(entry, shape)) {
      why = Reason{.rule = Rule::kPriority};
      return Stop::kGate;
    }
    if (quiet) {
      if (!kit_.gates.are_open(state, entry, now)) return Stop::kGate;
    } else {
      // No nodes are missed more than licenses.
      const auto shut = kit_.gates.licenses_and_own(state, entry, job, shape, now);
      if (too_few && (!shut || shut->rule == Rule::kLicenses)) {
        why = Reason{.rule = Rule::kResources};
        return Stop::kNoRoom;
      }
      if (shut) {
        why = *shut;
        return Stop::kGate;
      }
    }
    if (pushes_out_for_preferred(input, entry, shape)) {
      if (state.job(entry.job).state != JobState::kPending) return Stop::kStarted;
      why = Reason{.rule = Rule::kResources};
      return Stop::kNoRoom;
    }
    std::optional<Allocation> allocation;
    if (!kit_.shortcuts.has_no_room(kit_.room.free(), entry))
      allocation = kit_.room.place(state, shape, entry.partition, now, job.limit);
    if (!allocation) {
      // A limit that is broken as well is the reason: waiting for room would not help, and nobody
      // behind it has to wait for that.
      if (!quiet)
        if (auto reason = kit_.gates.limit_of_request(state, job, shape, entry.partition, now)) {
          why = *reason;
          return Stop::kLimit;
        }
      why = Reason{.rule = Rule::kResources};
      return Stop::kNoRoom;
    }
    if (auto reason =
            kit_.gates.limit_of_given(state, job, shape, entry.partition, *allocation, now)) {
      why = *reason;
      return Stop::kLimit;
    }
    const bool last = is_last_task(state, job);
    start(input, entry, *allocation);
    if (last) return Stop::kStarted;
  }
}

void Pass::start(const PassInput& input, const QueueEntry& entry, const Allocation& allocation) {
  kit_.room.take(allocation);
  input.out.start(entry.job, entry.partition, allocation);
}

bool Pass::is_last_task(const State& state, const Job& job) {
  return !job.is_array || state.find_array(job.array)->waiting.size() == 1;
}

// slurmctld looks for the nodes that a job prefers with all that makes room on them, before it
// looks for others.
bool Pass::pushes_out_for_preferred(const PassInput& input, const QueueEntry& entry,
                                    const Shape& shape) {
  const State& state = input.state;
  if (!shape.prefers || !kit_.traits.preempts || !may_push_anybody_out(state.policy(), shape))
    return false;
  auto request = std::make_shared<JobSpec>(*shape.request);
  request->constraint = std::move(request->prefer);
  request->prefer = {};
  Shape preferring = shape;
  preferring.request = std::move(request);
  preferring.prefers = false;
  const Job& job = state.job(entry.job);
  return !kit_.room.place(state, preferring, entry.partition, input.now, job.limit) &&
         push_out_for(input, entry, preferring);
}

bool Pass::push_out_for(const PassInput& input, const QueueEntry& entry, const Shape& shape) {
  const State& state = input.state;
  const Instant now = input.now;
  const Job& job = state.job(entry.job);
  const auto found = find_push_out(state, kit_.topology, shape, entry.partition,
                                   kit_.room.open_nodes(now, now + job.limit), now);
  if (!found) return false;
  // Nobody is pushed out for a job that a limit would keep waiting all the same.
  if (kit_.gates.limit_of_given(state, job, shape, entry.partition, found->allocation, now))
    return false;
  for (const Victim& victim : found->victims)
    input.out.push_out(victim.job, entry.job, victim.mode);
  if (!found->at_once) return true;
  kit_.room.follow(state);
  start(input, entry, found->allocation);
  return true;
}

bool Pass::may_reserve(const PassInput& input, const QueueEntry& entry, const Job& job) {
  const SchedulerSettings& settings = input.state.policy().scheduler;
  if (settings.backfill_min_prio_reserve &&
      input.queue.priority(entry) < *settings.backfill_min_prio_reserve)
    return false;
  return settings.backfill_min_age_reserve <= Duration(0) ||
         input.now - job.eligible_since >= settings.backfill_min_age_reserve;
}

}  // namespace sluice
