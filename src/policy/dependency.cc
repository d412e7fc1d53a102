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
  target.succeeded = array.failed == 0;
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

DependencyVerdict when(bool condition, bool decided) {
  if (condition) return DependencyVerdict::kSatisfied;
  return decided ? DependencyVerdict::kNever : DependencyVerdict::kWaiting;
}

DependencyVerdict term_verdict(const Target& target, const Dependency& term, Instant now) {
  if (!target.remembered) return DependencyVerdict::kSatisfied;
  switch (term.type) {
    case DependencyType::kAfter:
      if (target.ended && !target.started_at) return DependencyVerdict::kSatisfied;
      if (!target.started) return DependencyVerdict::kWaiting;
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
  return DependencyVerdict::kSatisfied;
}

// No other job of the same user and name runs, or came before and is unfinished.
DependencyVerdict singleton_verdict(const State& state, const Job& job) {
  const Shape& mine = state.shape_of_job(job);
  // A task came when its array did, whatever number it got since.
  const auto number = [](const Job& j) { return j.array != JobId{} ? j.array : j.id; };
  bool alone = true;
  state.for_each_job([&](const Job& other) {
    if (other.id == job.id || has_ended(other.state)) return;
    if (number(other) > number(job) && !holds_nodes(other.state)) return;
    const Shape& theirs = state.shape_of_job(other);
    if (theirs.user == mine.user && theirs.request->name == mine.request->name &&
        !(other.array != JobId{} && other.array == job.array))
      alone = false;
  });
  return when(alone, false);
}

DependencyVerdict one_verdict(const State& state, const Job& job, const Dependency& term,
                              std::optional<std::uint32_t> own_task, Instant now) {
  if (term.type == DependencyType::kSingleton) return singleton_verdict(state, job);
  const bool by_task = term.type == DependencyType::kAfterCorr && own_task;
  return term_verdict(target_of(state, term.job, by_task ? own_task : term.task), term, now);
}

// All terms together; of an array that is waited for with aftercorr, this task.
DependencyVerdict verdict_of(const State& state, const Job& job,
                             std::optional<std::uint32_t> own_task, Instant now) {
  const Dependencies& all = state.shape_of_job(job).request->dependencies;
  bool any_satisfied = false;
  bool any_waiting = false;
  bool any_never = false;
  for (const Dependency& term : all.terms) {
    const DependencyVerdict verdict = one_verdict(state, job, term, own_task, now);
    any_satisfied |= verdict == DependencyVerdict::kSatisfied;
    any_waiting |= verdict == DependencyVerdict::kWaiting;
    any_never |= verdict == DependencyVerdict::kNever;
  }
  if (all.any) {
    if (any_satisfied) return DependencyVerdict::kSatisfied;
    return any_waiting ? DependencyVerdict::kWaiting : DependencyVerdict::kNever;
  }
  if (any_never) return DependencyVerdict::kNever;
  return any_waiting ? DependencyVerdict::kWaiting : DependencyVerdict::kSatisfied;
}

}  // namespace

DependencyVerdict dependency_verdict(const State& state, const Job& job, Instant now) {
  // A task that has left its array waits for its own counterpart alone.
  if (job.array != JobId{} && !job.is_array) return verdict_of(state, job, job.task, now);
  return verdict_of(state, job, std::nullopt, now);
}

DependencyVerdict correlated_verdict(const State& state, const Job& array, std::uint32_t task,
                                     Instant now) {
  return verdict_of(state, array, task, now);
}

std::vector<DependencyVerdict> term_verdicts(const State& state, const Job& job, Instant now) {
  std::optional<std::uint32_t> own_task;
  if (job.array != JobId{} && !job.is_array) own_task = job.task;
  std::vector<DependencyVerdict> out;
  for (const Dependency& term : state.shape_of_job(job).request->dependencies.terms)
    out.push_back(one_verdict(state, job, term, own_task, now));
  return out;
}

std::optional<Instant> dependency_due(const State& state, const Job& job, Instant after) {
  std::optional<Instant> due;
  for (const Dependency& term : state.shape_of_job(job).request->dependencies.terms) {
    if (term.type != DependencyType::kAfter || term.delay <= Duration(0)) continue;
    const Target target = target_of(state, term.job, term.task);
    if (!target.started_at) continue;
    const Instant at = *target.started_at + term.delay;
    if (at > after) due = due ? std::min(*due, at) : at;
  }
  return due;
}

}  // namespace sluice
