// Transitions that several commands and timers share.
#include "engine/emit.h"
#include "policy/dependency.h"
#include "policy/preemption.h"

namespace sluice {

void Engine::settle(JobId id) {
  const Job& job = state_.job(id);
  if (job.state != JobState::kPending || job.eligible || job.held != HeldBy::kNobody) return;
  if (job.dependency == DependencyState::kWaiting) decide_dependency(id);
  // Deciding may have ended it, or, for the last task of an array, settled it already.
  if (has_ended(job.state) || job.eligible) return;
  if (job.dependency == DependencyState::kWaiting || job.dependency == DependencyState::kNever)
    return;
  if (job.begin > now_) return;
  emit(JobBecameEligible{id});
}

void Engine::decide_dependency(JobId id) {
  const Job& job = state_.job(id);
  const Shape& shape = state_.shape_of_job(job);
  bool correlated = false;
  for (const Dependency& term : shape.request->dependencies.terms)
    correlated |= term.type == DependencyType::kAfterCorr;
  if (correlated && job.is_array) {
    for (std::uint32_t task : state_.find_array(job.array)->waiting.to_vector()) {
      // A decision that was passed on may have had this array looked at again.
      if (!job.is_array || !state_.find_array(id)->waiting.contains(task)) continue;
      const DependencyVerdict verdict = correlated_verdict(state_, job, task, now_);
      if (verdict == DependencyVerdict::kWaiting) continue;
      const JobId own = split_task(job.array, task);
      note_verdict(own, verdict);
      settle(own);
      if (own == id) return;  // The record itself became the last task.
    }
    return;
  }
  const DependencyVerdict verdict = dependency_verdict(state_, job, now_);
  if (verdict != DependencyVerdict::kWaiting) note_verdict(id, verdict);
}

// What can never start is cancelled where the job or the policy says so.
void Engine::note_verdict(JobId id, DependencyVerdict verdict) {
  emit(DependencyDecided{id, verdict == DependencyVerdict::kNever});
  if (verdict != DependencyVerdict::kNever) return;
  const Job& job = state_.job(id);
  const auto& own = state_.shape_of_job(job).request->kill_on_invalid_dependency;
  if (!own.value_or(state_.policy().scheduler.kill_invalid_depend)) return;
  emit(JobEnded{id, job.attempt, Outcome{.state = JobState::kCancelled}});
  settle_dependents(state_.job(id));
}

void Engine::settle_dependents(const Job& job) {
  if (!state_.anybody_depends()) return;
  const JobId id = job.id;
  const JobId array = job.array;
  const Shape& shape = state_.shape_of_job(job);
  std::vector<JobId> waiting = state_.dependents_of(id);
  if (array != JobId{} && array != id)
    for (JobId other : state_.dependents_of(array)) waiting.push_back(other);
  for (JobId other : state_.singletons_of(shape.user, shape.request->name))
    waiting.push_back(other);
  for (JobId other : waiting)
    if (state_.find_job(other) != nullptr) settle(other);
}

void Engine::end_job(const Job& job, JobState as, bool requeue, JobId preemptor) {
  const JobId id = job.id;
  const std::uint32_t attempt = job.attempt;
  emit(JobEnding{id, as, requeue, preemptor});
  order(EndJob{id, attempt});
}

void Engine::finish_run(JobId id, const Outcome& reported) {
  const Job& job = state_.job(id);
  const Run& run = state_.run_of(job);
  const bool told = run.ending_as != JobState::kPending;
  // A job that was picked to make room is treated as such even if it left by itself meanwhile.
  const bool warned = run.warned && !told;
  bool requeue = run.requeue;
  JobState as = told ? run.ending_as : reported.state;
  if (warned) {
    as = JobState::kPreempted;
    requeue = preempt_mode_of(state_, job) == PreemptMode::kRequeue &&
              state_.shape_of_job(job).request->requeue.value_or(state_.policy().jobs.requeue);
  }
  // With nothing to remember it for, it is forgotten with its end.
  const bool forgotten = !requeue && !state_.anybody_depends() &&
                         state_.policy().jobs.min_job_age <= Duration(0) && job.array == JobId{};
  emit_in_place<JobEnded>([&](JobEnded& ended) {
    ended.job = id;
    ended.attempt = job.attempt;
    ended.outcome = reported;
    ended.outcome.state = as;
    ended.forgotten = forgotten;
  });
  if (forgotten) return;
  if (requeue) {
    requeue_job(id, state_.job(id).held != HeldBy::kNobody,
                state_.policy().scheduler.requeue_delay);
    // Later jobs of its name need not wait for it any more.
    settle_dependents(state_.job(id));
    return;
  }
  settle_dependents(state_.job(id));
}

void Engine::requeue_job(JobId id, bool hold, Duration delay) {
  emit(JobRequeued{id, now_ + delay, hold});
  settle(id);
}

JobId Engine::split_task(JobId array, std::uint32_t task) {
  const Array* whole = state_.find_array(array);
  const JobId own = whole->waiting.size() == 1 ? array : state_.next_job_id();
  emit(TaskSplit{array, task, own});
  return own;
}

}  // namespace sluice
