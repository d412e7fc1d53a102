// The fates of dependencies.
#include "policy/dependency.h"

#include <algorithm>

namespace sluice {
namespace {

// What a dependency needs to know of the job, task or array it names.
struct Target {
  bool remembered = false;
  bool started = false;
  bool ended = false;
  bool succeeded = false;
  std::optional<Instant> started_at;
};

Target of_job(const State& state, const Job& job) {
  Target target;
  target.remembered = true;
  target.ended = has_ended(job.state);
  target.started = job.state != JobState::kPending || job.attempt > 0;
  target.succeeded = job.state == JobState::kCompleted;
  if (job.run != 0) target.started_at = state.run_of(job).started;
  return target;
}

Target of_array(const Array& array) {
  Target target;
  target.remembered = true;
  target.started = array.any_started || array.unfinished == 0;
  target.ended = array.unfinished == 0;
  target.succeeded = array.all_completed;
  return target;
}

Target target_of(const State& state, JobId id, std::optional<std::uint32_t> task) {
  if (const Array* array = state.find_array(id)) {
    if (!task) return of_array(*array);
    if (array->waiting.contains(*task)) {
      Target waiting;
      waiting.remembered = true;
      return waiting;
    }
    if (const Job* own = state.find_task(id, *task)) return of_job(state, *own);
    return {};
  }
  const Job* job = state.find_job(id);
  return job == nullptr ? Target{} : of_job(state, *job);
}

Verdict when(bool condition, bool decided) {
  if (condition) return Verdict::kSatisfied;
  return decided ? Verdict::kNever : Verdict::kWaiting;
}

Verdict term_verdict(const Target& target, const Dependency& term, Instant now) {
  if (!target.remembered) return Verdict::kSatisfied;
  switch (term.type) {
    case DependencyType::kAfter:
      if (target.ended && !target.started_at) return Verdict::kSatisfied;
      if (!target.started) return Verdict::kWaiting;
      return when(!target.started_at || now >= *target.started_at + term.delay, false);
    case DependencyType::kAfterAny:
      return when(target.ended, false);
    case DependencyType::kAfterOk:
    case DependencyType::kAfterCorr:
      return when(target.ended && target.succeeded, target.ended);
    case DependencyType::kAfterNotOk:
      return when(target.ended && !target.succeeded, target.ended);
    case DependencyType::kSingleton:
      break;
  }
  return Verdict::kSatisfied;
}

// No other job of the same user and name that came before is unfinished.
Verdict singleton_verdict(const State& state, const Job& job) {
  const Shape& mine = state.shape_of_job(job);
  bool alone = true;
  state.for_each_job([&](const Job& other) {
    if (other.id >= job.id || has_ended(other.state)) return;
    const Shape& theirs = state.shape_of_job(other);
    if (theirs.user == mine.user && theirs.request->name == mine.request->name &&
        !(other.array != JobId{} && other.array == job.array))
      alone = false;
  });
  return when(alone, false);
}

}  // namespace

Verdict dependency_verdict(const State& state, const Job& job, Instant now) {
  const Dependencies& all = state.shape_of_job(job).request->dependencies;
  bool any_satisfied = false;
  bool any_waiting = false;
  bool any_never = false;
  for (const Dependency& term : all.terms) {
    Verdict verdict = Verdict::kWaiting;
    if (term.type == DependencyType::kSingleton) {
      verdict = singleton_verdict(state, job);
    } else {
      std::optional<std::uint32_t> task = term.task;
      // A task that has left its array waits for its own counterpart alone.
      if (term.type == DependencyType::kAfterCorr && job.array != JobId{} && !job.is_array)
        task = job.task;
      verdict = term_verdict(target_of(state, term.job, task), term, now);
      if (term.type == DependencyType::kAfterCorr && job.is_array && verdict == Verdict::kNever)
        verdict = Verdict::kWaiting;  // Decided task by task.
    }
    any_satisfied |= verdict == Verdict::kSatisfied;
    any_waiting |= verdict == Verdict::kWaiting;
    any_never |= verdict == Verdict::kNever;
  }
  if (all.any) {
    if (any_satisfied) return Verdict::kSatisfied;
    return any_waiting ? Verdict::kWaiting : Verdict::kNever;
  }
  if (any_never) return Verdict::kNever;
  return any_waiting ? Verdict::kWaiting : Verdict::kSatisfied;
}

Verdict correlated_verdict(const State& state, const Job& array, std::uint32_t task, Instant now) {
  Verdict result = Verdict::kSatisfied;
  for (const Dependency& term : state.shape_of_job(array).request->dependencies.terms) {
    const std::optional<std::uint32_t> index =
        term.type == DependencyType::kAfterCorr ? std::optional(task) : term.task;
    const Verdict verdict = term_verdict(target_of(state, term.job, index), term, now);
    if (verdict == Verdict::kNever) return Verdict::kNever;
    if (verdict == Verdict::kWaiting) result = Verdict::kWaiting;
  }
  return result;
}

std::optional<Instant> dependency_due(const State& state, const Job& job) {
  std::optional<Instant> due;
  for (const Dependency& term : state.shape_of_job(job).request->dependencies.terms) {
    if (term.type != DependencyType::kAfter || term.delay <= Duration(0)) continue;
    const Target target = target_of(state, term.job, term.task);
    if (!target.started_at) continue;
    const Instant at = *target.started_at + term.delay;
    due = due ? std::min(*due, at) : at;
  }
  return due;
}

}  // namespace sluice
