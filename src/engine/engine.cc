// One turn: inputs, what became due, the passes.
#include "engine/engine.h"

#include <algorithm>

#include "engine/emit.h"
#include "engine/inputs.h"
#include "policy/conservative.h"
#include "policy/preemption.h"
#include "policy/used_up.h"
#include "state/snapshot.h"

namespace sluice {

namespace {

bool asked_by_partition(Rule rule) {
  switch (rule) {
    case Rule::kPartitionTimeLimit:
    case Rule::kPartitionNodeLimit:
    case Rule::kPartitionConfig:
    case Rule::kPartitionDown:
    case Rule::kPartitionInactive:
    case Rule::kMaxMemoryPerLimit:
    case Rule::kAccountNotAllowed:
    case Rule::kQosNotAllowed:
      return true;
    default:
      return false;
  }
}

}  // namespace

Engine::Engine(Explain explain, Passes passes)
    : scheduler_(passes), explain_(explain == Explain::kYes) {
  scheduler_.set_explain(explain_);
}

void Engine::replay(const Event& event) {
  state_.apply(event);
  if (std::holds_alternative<PolicyAdopted>(event.body)) adopt();
  queue_.apply(state_, event);
  std::visit(
      [&]<class Body>(const Body& body) {
        if constexpr (kBringsWaitingJob<Body>) note_switch_wait(body.job);
      },
      event.body);
  changed_ = true;
  since_pass_ = SincePass::kAnything;
  now_ = event.at;
  idle_until_ = Instant::min();
}

void Engine::restore(const StateSnapshot& from) {
  state_.restore(from);
  adopt();
  queue_.restore(state_, from.now);
  changed_ = true;
  now_ = from.now;
}

void Engine::handle(std::span<const Input> inputs, Instant now, Turn& turn) {
  turn.clear();
  turn_ = &turn;
  now_ = now;
  if (state_.has_policy()) {
    // Nothing is due before the time the last turn asked to be woken at.
    if (now >= idle_until_) handle_due();
    calculate_priorities();
  }
  for (const Input& input : inputs) turn.replies.emplace_back(Answer{*this, input});
  if (state_.has_policy()) {
    if (usage_grew_) end_used_up();
    do {
      run_passes();
      if (limits_ages_ && !turn.events.empty()) begin_ages();
      // A task that left its array to gain age is looked at by itself.
    } while (changed_);
    hand_on();
    forget_old();
    if (explain_) queue_.tidy();  // A view may show it.
    idle_until_ = next_wake();
    if (idle_until_ != Instant::max()) turn.wake_at = idle_until_;
#ifdef SLUICE_CHECKED
    const std::string broken = state_.broken_invariant();
    CHECK(broken.empty(), broken.c_str());
#endif
  }
  turn_ = nullptr;
}

void Turn::clear() {
  events.clear();
  orders.clear();
  replies.clear();
  ended.clear();
  wake_at.reset();
  backfilled = 0;
}

EnginePulse Engine::pulse() const {
  return {last_backfill_, backfill_due_, next_slice_, exempt_until_,    look_again_,
          changed_,       since_pass_,   idle_until_, reservations_at_, usage_grew_};
}

void Engine::set_pulse(const EnginePulse& pulse) {
  last_backfill_ = pulse.last_backfill;
  backfill_due_ = pulse.backfill_due;
  next_slice_ = pulse.next_slice;
  exempt_until_ = pulse.exempt_until;
  look_again_ = pulse.look_again;
  changed_ = pulse.changed;
  since_pass_ = pulse.since_pass;
  idle_until_ = pulse.idle_until;
  reservations_at_ = pulse.reservations_at;
  usage_grew_ = pulse.usage_grew;
}

// As it is before the event is folded.
void Engine::list_end(const Job& job, const Outcome& outcome, const IndexSet* tasks) {
  Ended& ended = turn_->ended.emplace_back();
  ended.at = now_;
  ended.outcome = outcome;
  ended.job = job;
  if (job.run != 0 && job.state != JobState::kPending) ended.run = state_.run_of(job);
  const Array* array = job.array == JobId{} ? nullptr : state_.find_array(job.array);
  if (job.is_array) ended.tasks = tasks != nullptr ? *tasks : array->waiting;
  const std::size_t count = job.is_array ? ended.tasks.size() : 1;
  ended.last = array == nullptr || array->unfinished <= count;
  if (array != nullptr) {
    ended.array_total = array->total;
    ended.array_failed = array->failed;
  }
  ended.priority = job.held == HeldBy::kNobody ? queue_.priority(job.id) : 0;
  ended.shape = state_.shape_of_job(job);
  ended.policy = state_.shared_policy();
}

void Engine::adopt() {
  scheduler_.adopt(state_.policy());
  ends_used_up_ = ends_what_is_used_up(state_.policy());
  usage_grew_ = true;
  exempts_ = exempts_anybody(state_.policy());
  limits_ages_ = state_.policy().limits_ages();
  // What jobs wait for is another matter under another policy.
  switch_waits_.clear();
  if (!state_.policy().switches.empty())
    state_.for_each_job([&](const Job& job) {
      if (job.state == JobState::kPending) note_switch_wait(job.id);
    });
}

void Engine::run_passes() {
  // A job that becomes eligible because another started is looked at too.
  do schedule();
  while (changed_);
  note_exemptions();
  if (!state_.suspended().empty()) resume_suspended();
  if (!state_.policy().preemption.gang) {
    next_slice_.reset();
    return;
  }
  const bool over = next_slice_ && now_ >= *next_slice_;
  take_turns(over ? Rotate::kYes : Rotate::kNo);
  if (!Gang::anybody_waits(state_))
    next_slice_.reset();
  else if (!next_slice_ || over)
    // slurmctld's first swap comes after two slices.
    next_slice_ = now_ + state_.policy().preemption.time_slice * (over ? 1 : 2);
}

void Engine::schedule() {
  const SchedulerSettings& settings = state_.policy().scheduler;
  bool somebody_fits = true;  // As far as it is known.
  if (changed_) {
    changed_ = false;
    backfill_due_ = true;
    if (explain_) {
      short_of_room_.clear();
      looked_at_.clear();
      limited_.clear();
    }
    look_again_.reset();
    const bool conservative = settings.type == kConservativeScheduler;
    if (settings.type == SchedulerType::kEasy || conservative) ++plans_;
    const PassInput input{state_, queue_, now_, since_pass_, *this};
    since_pass_ = SincePass::kSubmissions;
    if (settings.type == SchedulerType::kEasy || conservative) {
      queue_.tidy();
      if (conservative)
        scheduler_.conservative_pass(input);
      else
        scheduler_.easy_pass(input);
    } else {
      somebody_fits = scheduler_.main_pass(input);
    }
  }
  if (settings.type == SchedulerType::kBackfill && backfill_due_ && !queue_.empty() &&
      (!last_backfill_ || now_ >= *last_backfill_ + settings.backfill_interval)) {
    backfill_due_ = false;
    last_backfill_ = now_;
    ++plans_;
    const std::size_t before = turn_->orders.size();
    if (somebody_fits)
      scheduler_.backfill_pass({state_, queue_, now_, SincePass::kAnything, *this});
    // A job that started counts against the limits of those that were looked at before.
    if (turn_->orders.size() != before) changed_ = true;
    for (std::size_t i = before; i < turn_->orders.size(); ++i)
      if (std::holds_alternative<LaunchJob>(turn_->orders[i])) ++turn_->backfilled;
  }
}

void Engine::start(JobId id, PartitionId partition, const Allocation& allocation) {
  const Job* job = &state_.job(id);
  if (job->is_array) {
    const JobId array = job->array;
    const std::optional<JobId> back = returned_first(*job);
    id = back ? *back : split_task(array, *state_.find_array(array)->waiting.first());
    job = &state_.job(id);
  }
  const std::uint32_t attempt = job->attempt + 1;
  emit_in_place<JobStarted>([&](JobStarted& started) {
    started.job = id;
    started.attempt = attempt;
    started.partition = partition;
    started.allocation = allocation;
  });
  order(LaunchJob{id, attempt});
  if (explain_) explanations_.erase(id);
  if (state_.anybody_depends()) settle_dependents(state_.job(id));
}

void Engine::push_out(JobId victim, JobId preemptor, PreemptMode mode) {
  const Job& job = state_.job(victim);
  if (mode == PreemptMode::kSuspend) {
    emit(JobSuspended{victim, SuspendedBy::kPreemption, preemptor});
    order(PauseJob{victim, job.attempt});
    return;
  }
  const Policy& policy = state_.policy();
  const Shape& shape = state_.shape_of_job(job);
  const Run& run = state_.run_of(job);
  Duration grace{0};
  if (policy.preemption.type == PreemptType::kQos) {
    if (shape.qos) grace = policy.qos[shape.qos->index()].grace_time;
  } else {
    grace = policy.partitions[run.partition.index()].grace_time.value_or(Duration(0));
  }
  if (grace > Duration(0)) {
    if (!run.warned) {
      emit(PreemptionWarned{victim, preemptor, now_ + grace});
      order(WarnJob{victim, job.attempt});
    }
    return;
  }
  const bool requeue =
      mode == PreemptMode::kRequeue && shape.request->requeue.value_or(policy.jobs.requeue);
  end_job(job, JobState::kPreempted, requeue, preemptor);
}

void Engine::wait(JobId job, PartitionId, const Reason& reason) {
  // What is still to run and what was used shrinks by time alone.
  if (reason.rule == Rule::kGrpTresRunMinutes || reason.rule == Rule::kGrpTresMinutes ||
      reason.rule == Rule::kGrpWall || reason.rule == Rule::kUsageThreshold)
    look_again_ = now_ + std::max(state_.policy().priority.calc_period, seconds(1));
  if (!explain_) return;
  Explanation& explanation = explanations_[job];
  // What one of its partitions asks is the reason only where the others give none.
  if (state_.shape_of_job(state_.job(job)).partitions.size() > 1) {
    if (!looked_at_.insert(job).second && asked_by_partition(reason.rule)) return;
    if (is_limit(reason.rule)) limited_.insert(job);
  }
  if (reason.rule == Rule::kNone && explanation.reason.rule == Rule::kResources) return;
  // In a partition that is closed to it a job keeps the reason it has, if that is one of its own.
  if (reason.rule == Rule::kPriority && explanation.reason.rule != Rule::kNone &&
      explanation.reason.rule != Rule::kResources && explanation.reason.rule != Rule::kReservation)
    return;
  if (reason.rule == Rule::kResources)
    short_of_room_.insert(job);
  else if (reason.rule == Rule::kPriority)
    short_of_room_.erase(job);
  explanation.reason = reason;
}

void Engine::plan(JobId job, Instant start, std::span<const NodeId> nodes) {
  if (!explain_) return;
  Explanation& explanation = explanations_[job];
  explanation.expected = start;
  explanation.planned_in = plans_;
  explanation.nodes.assign(nodes.begin(), nodes.end());
  // What another of its partitions said in this pass stays.
  if (is_limit(explanation.reason.rule) && limited_.contains(job)) return;
  // Its limits were looked at and do not stop it.
  if (explanation.reason.rule != Rule::kResources && explanation.reason.rule != Rule::kNodeReserved)
    explanation.reason = {.rule = Rule::kPriority};
}

bool Engine::has_room_again(const Run& run) const {
  if (!run.cpus_lent) return true;
  const auto shares = run.allocation.shares();
  return std::all_of(shares.begin(), shares.end(), [&](const NodeShare& share) {
    const NodeUse& node = state_.nodes()[share.node.index()];
    std::int32_t taken = node.cpus_taken;
    if (share.layer > 0)
      taken = share.layer <= node.layers.size() ? node.layers[share.layer - 1u] : 0;
    return node.cpus - taken >= share.cpus;
  });
}

// Those that made room run on once their CPUs are free again. So do jobs that waited for a turn
// that will never come, because the policy has no turns any more.
void Engine::resume_suspended() {
  const std::vector<JobId> suspended(state_.suspended().begin(), state_.suspended().end());
  for (JobId id : suspended) {
    const Job& job = state_.job(id);
    const Run& run = state_.run_of(job);
    if (run.suspended_by == SuspendedBy::kUser || !has_room_again(run)) continue;
    if (run.suspended_by == SuspendedBy::kGang && state_.policy().preemption.gang) continue;
    emit(JobResumed{id});
    order(ContinueJob{id, job.attempt});
  }
}

// Jobs that may not be pushed out yet become fair game by time alone.
void Engine::note_exemptions() {
  exempt_until_.reset();
  const Policy& policy = state_.policy();
  if (!exempts_ || queue_.empty()) return;
  for (const ExpectedEnd& end : state_.expected_ends()) {
    const Job& job = state_.job(end.job);
    const Duration exempt = exempt_time(policy, state_.shape_of_job(job));
    const Instant until = state_.run_of(job).started + exempt;
    if (exempt > Duration(0) && until > now_ && (!exempt_until_ || until < *exempt_until_))
      exempt_until_ = until;
  }
}

// Jobs that share CPUs run by turns.
void Engine::take_turns(Rotate rotate) {
  const Policy& policy = state_.policy();
  for (std::size_t i = 0; i < policy.partitions.size(); ++i) {
    if (policy.partitions[i].oversubscribe != OverSubscribe::kForce &&
        policy.partitions[i].oversubscribe != OverSubscribe::kYes && !Gang::anybody_waits(state_))
      continue;
    const GangTurn turn = gang_.next(state_, PartitionId(static_cast<std::uint32_t>(i)), rotate);
    for (JobId id : turn.suspend) {
      emit(JobSuspended{id, SuspendedBy::kGang, {}});
      order(PauseJob{id, state_.job(id).attempt});
    }
    for (JobId id : turn.resume) {
      emit(JobResumed{id});
      order(ContinueJob{id, state_.job(id).attempt});
    }
  }
}

Explanation Engine::explanation(JobId id) const {
  const Job& job = state_.job(id);
  Explanation out;
  if (job.state != JobState::kPending) return out;
  if (auto it = explanations_.find(id); it != explanations_.end()) out = it->second;
  if (out.planned_in != plans_) {
    out.expected.reset();
    out.nodes.clear();
  }
  if (job.held == HeldBy::kReservationGone)
    out.reason = {.rule = Rule::kReservationDeleted};
  else if (job.held != HeldBy::kNobody)
    out.reason = {.rule = job.held == HeldBy::kUser ? Rule::kHeldByUser : Rule::kHeldByAdmin};
  else if (job.dependency == DependencyState::kWaiting)
    out.reason = {.rule = Rule::kDependency};
  else if (job.dependency == DependencyState::kNever)
    out.reason = {.rule = Rule::kDependencyNeverSatisfied};
  else if (job.begin > now_)
    out.reason = {.rule = Rule::kBeginTime, .limit = to_seconds(job.begin)};
  else if (out.reason.rule == Rule::kNone ||
           (out.reason.rule == Rule::kResources && short_of_room_.count(id) == 0))
    out.reason = {.rule = Rule::kPriority};  // Not looked at again, or another is before it now.
  return out;
}

}  // namespace sluice
