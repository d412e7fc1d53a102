// What becomes due by time alone.
#include "engine/emit.h"
#include "policy/dependency.h"
#include "policy/preemption.h"
#include "policy/usage_reset.h"
#include "policy/used_up.h"

namespace sluice {

void Engine::handle_due() {
  end_warned();  // A job that was warned is preempted, not out of time.
  end_expired();
  handle_reservations();
  if (!state_.awaiting_signal().empty()) signal_before_limit();
  give_up_switches();
  make_eligible();
  if ((exempt_until_ && now_ >= *exempt_until_) || (look_again_ && now_ >= *look_again_))
    changed_ = true;
}

void Engine::end_expired() {
  const auto& ends = state_.expected_ends();
  std::vector<JobId> expired;
  for (const ExpectedEnd& end : ends) {
    if (end.at > now_) break;
    const Job& job = state_.job(end.job);
    if (job.state == JobState::kRunning && latest_end(end) <= now_) expired.push_back(job.id);
  }
  for (JobId id : expired) end_job(state_.job(id), JobState::kTimeout, false);
}

Instant Engine::latest_end(const ExpectedEnd& end) const {
  return end.at + state_.policy().over_time_limit(state_.run_of(state_.job(end.job)).partition);
}

void Engine::end_warned() {
  while (!state_.warned().empty() && state_.warned().begin()->first <= now_) {
    const Job& job = state_.job(state_.warned().begin()->second);
    const Run& run = state_.run_of(job);
    const Shape& shape = state_.shape_of_job(job);
    const bool requeue = preempt_mode_of(state_, job) == PreemptMode::kRequeue &&
                         shape.request->requeue.value_or(state_.policy().jobs.requeue);
    end_job(job, JobState::kPreempted, requeue, run.preemptor);
  }
}

// --signal. No job is signalled while suspended: the clock of the limit stands still.
void Engine::signal_before_limit() {
  std::vector<JobId> due;
  for (const JobId id : state_.awaiting_signal())
    if (const auto at = signal_due(id); at && *at <= now_) due.push_back(id);
  for (const JobId id : due) {
    const Job& job = state_.job(id);
    const WarningSignal& asked = *state_.shape_of_job(job).request->launch.signal;
    emit(LimitSignalled{id});
    order(SignalJob{id, job.attempt, asked.signal, asked.batch_shell_only});
  }
}

std::optional<Instant> Engine::signal_due(JobId id) const {
  const Job& job = state_.job(id);
  if (job.state != JobState::kRunning || job.limit >= kForever) return std::nullopt;
  return state_.run_of(job).expected_end -
         state_.shape_of_job(job).request->launch.signal->before_end;
}

void Engine::make_eligible() {
  std::vector<JobId> due;
  for (const auto& [at, id] : state_.begins()) {
    if (at > now_) break;
    due.push_back(id);
  }
  if (state_.anybody_depends())
    for (JobId id : state_.dependents())
      if (auto at = dependency_due(state_, state_.job(id), Instant::min()); at && *at <= now_)
        due.push_back(id);
  for (JobId id : due) settle(id);
}

void Engine::note_switch_wait(JobId id) {
  const Job& job = state_.job(id);
  const Shape& shape = state_.shape_of_job(job);
  if (shape.most_switches == 0) return;
  const Duration most = state_.policy().scheduler.max_switch_wait;
  const Duration wait = std::min(shape.request->switch_wait.value_or(most), most);
  switch_waits_.insert({job.submitted + wait, id});
}

// slurmctld counts from when it first looked at the job's nodes, which is at its submission.
void Engine::give_up_switches() {
  std::map<SpecId, SpecId> without;  // Jobs of one request share the one that takes its place.
  while (!switch_waits_.empty() && switch_waits_.begin()->first <= now_) {
    const JobId id = switch_waits_.begin()->second;
    switch_waits_.erase(switch_waits_.begin());
    const Job* known = state_.find_job(id);
    if (known == nullptr) continue;
    const Job& job = *known;
    if (job.state != JobState::kPending || job.in_line) continue;
    const Shape& shape = state_.shape_of_job(job);
    if (shape.most_switches == 0) continue;
    const auto [other, is_new] = without.try_emplace(job.spec);
    if (is_new) {
      JobSpec request = *shape.request;
      request.switch_wait = Duration(0);
      other->second = state_.next_spec_id();
      emit(SpecDefined{other->second, std::make_shared<const JobSpec>(std::move(request)), false});
    }
    emit(JobChanged{id, other->second});
    settle(id);
  }
}

void Engine::calculate_priorities() {
  const PrioritySettings& settings = state_.policy().priority;
  if (settings.type != PriorityType::kMultifactor) return;
  if (now_ < state_.last_calculated() + settings.calc_period) return;
  if (queue_.empty() && state_.expected_ends().empty() && state_.suspended().empty()) return;
  if (usage_resets_between(settings.usage_reset, state_.last_calculated(), now_))
    emit(UsageWasReset{});
  emit(PrioritiesCalculated{});
}

// slurmctld does so in its rounds of half a minute, with what it last calculated.
void Engine::end_used_up() {
  usage_grew_ = false;
  if (!ends_used_up_) return;
  std::vector<JobId> over;
  for (const ExpectedEnd& end : state_.expected_ends()) {
    const Job& job = state_.job(end.job);
    if (job.state == JobState::kRunning && used_up(state_, job, now_)) over.push_back(job.id);
  }
  for (JobId id : over) end_job(state_.job(id), JobState::kTimeout, false);
}

void Engine::forget_old() {
  const Duration age = state_.policy().jobs.min_job_age;
  while (!state_.ended().empty() && state_.ended().front().first + age <= now_) {
    const JobId id = state_.ended().front().second;
    if (explain_) explanations_.erase(id);
    emit(JobForgotten{id});
  }
}

Instant Engine::next_wake() const {
  const Policy& policy = state_.policy();
  Instant wake = Instant::max();
  auto at = [&](Instant time) { wake = std::min(wake, time); };
  for (const ExpectedEnd& end : state_.expected_ends()) {
    if (end.at >= wake) break;
    if (latest_end(end) > now_) at(latest_end(end));  // Others were told to end already.
  }
  for (const auto& [begin, id] : state_.begins()) {
    if (begin <= now_) continue;  // Held, or waiting for something else by now.
    at(begin);
    break;
  }
  if (state_.anybody_depends())
    for (JobId id : state_.dependents())
      if (auto due = dependency_due(state_, state_.job(id), now_)) at(*due);
  if (!state_.warned().empty()) at(state_.warned().begin()->first);
  if (ends_used_up_ && !(state_.expected_ends().empty() && state_.suspended().empty()))
    at(std::max(now_ + seconds(1), state_.last_calculated() + policy.priority.calc_period));
  for (const JobId id : state_.awaiting_signal())
    if (const auto due = signal_due(id)) at(std::max(*due, now_ + Duration(1)));
  if (!switch_waits_.empty()) at(std::max(switch_waits_.begin()->first, now_ + Duration(1)));
  for (const KeptReservation& kept : state_.reservations()) {
    if (kept.told.flags.time_float) continue;
    if (kept.told.start > now_) at(kept.told.start);
    at(std::max(kept.told.end, now_ + Duration(1)));
  }
  if (next_slice_) at(*next_slice_);
  if (exempt_until_) at(*exempt_until_);
  if (look_again_) at(*look_again_);
  if (policy.scheduler.type == SchedulerType::kBackfill && backfill_due_ && !queue_.empty() &&
      last_backfill_)
    at(*last_backfill_ + policy.scheduler.backfill_interval);
  return wake;
}

}  // namespace sluice
