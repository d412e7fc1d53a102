// The life of a job, event by event.
#include <algorithm>

#include "state/fold.h"

namespace sluice {
namespace {

std::int64_t tasks_in(const State& state, const Job& job) {
  if (!job.is_array) return 1;
  return static_cast<std::int64_t>(state.find_array(job.array)->waiting.size());
}

// Tasks that wait in the record beyond the one that it stands for.
std::size_t beyond_record(const Array& array) {
  return array.waiting.size() > 1 ? array.waiting.size() - 1 : 0;
}

}  // namespace

void StateFold::operator()(const SpecDefined& event) {
  CHECK(event.spec.value() == s_.next_spec_, "specs are numbered in order");
  ++s_.next_spec_;
  const UserId user = s_.user_id(event.request->user);
  Shape shape = shape_of(*s_.policy_, s_.names_, event.request, user);
  shape.keep = event.keep;
  s_.shapes_.insert(event.spec, std::move(shape));
}

void StateFold::refer(SpecId spec) { ++s_.shapes_.at(spec).jobs; }

void StateFold::unrefer(SpecId spec) {
  Shape& shape = s_.shapes_.at(spec);
  CHECK(shape.jobs > 0);
  if (--shape.jobs == 0 && !shape.keep) s_.shapes_.erase(spec);
}

void StateFold::operator()(const JobSubmitted& event) {
  CHECK(event.job.value() == s_.next_job_, "jobs are numbered in order");
  ++s_.next_job_;
  Shape& asked = s_.shapes_.at(event.spec);
  ++asked.jobs;
  Job& job = s_.jobs_.insert(event.job);
  job.id = event.job;
  job.spec = event.spec;
  job.submitted = at_;
  job.begin = at_;
  job.limit = event.limit ? *event.limit : asked.limit;
  if (asked.waits_for_more) {
    submit_special(job);
    return;
  }
  // Nothing in the way: eligible at once, without an event of its own.
  job.eligible = true;
  job.eligible_since = at_;
  ++s_.pending_;
  count_waiting(asked, 1, Sign::kAdd);
}

void StateFold::submit_special(Job& job) {
  const JobSpec& request = *shape(job).request;
  if (request.begin) job.begin = std::max(*request.begin, at_);
  if (request.hold) job.held = HeldBy::kUser;
  if (!request.dependencies.terms.empty()) job.dependency = DependencyState::kWaiting;
  if (request.array) {
    job.is_array = true;
    job.array = job.id;
    Array array;
    array.id = job.id;
    array.waiting = request.array->indices;
    array.throttle = request.array->throttle;
    array.total = static_cast<std::uint32_t>(array.waiting.size());
    array.unfinished = array.total;
    array.remembered = 1;
    s_.in_records_ += beyond_record(array);
    s_.arrays_.emplace(job.id, std::move(array));
  }
  enter_waiting(job);
  if (job.dependency == DependencyState::kWaiting) watch_dependencies(job);
  if (job.held == HeldBy::kNobody && job.dependency == DependencyState::kNone && job.begin <= at_) {
    job.eligible = true;
    job.eligible_since = at_;
  }
}

// The job counts as pending and, once submitted, against the submit limits.
void StateFold::enter_waiting(Job& job) {
  job.state = JobState::kPending;
  job.eligible = false;
  ++s_.pending_;
  if (job.begin > at_) s_.begins_.emplace(job.begin, job.id);
  count_waiting(shape(job), tasks_in(s_, job), Sign::kAdd);
}

void StateFold::leave_waiting(Job& job) {
  CHECK(s_.pending_ > 0);
  --s_.pending_;
  job.eligible = false;
  job.in_line = false;
  if (!s_.begins_.empty()) s_.begins_.erase({job.begin, job.id});
}

void StateFold::watch_dependencies(const Job& job) {
  const Shape& shape = s_.shapes_.at(job.spec);
  for (const Dependency& term : shape.request->dependencies.terms) {
    if (term.type == DependencyType::kSingleton)
      s_.singletons_[{shape.user, shape.request->name}].insert(job.id);
    else
      s_.dependents_[term.job].insert(job.id);
  }
}

void StateFold::unwatch_dependencies(const Job& job) {
  const Shape& shape = s_.shapes_.at(job.spec);
  for (const Dependency& term : shape.request->dependencies.terms) {
    if (term.type == DependencyType::kSingleton) {
      auto it = s_.singletons_.find({shape.user, shape.request->name});
      if (it == s_.singletons_.end()) continue;
      it->second.erase(job.id);
      if (it->second.empty()) s_.singletons_.erase(it);
    } else {
      auto it = s_.dependents_.find(term.job);
      if (it == s_.dependents_.end()) continue;
      it->second.erase(job.id);
      if (it->second.empty()) s_.dependents_.erase(it);
    }
  }
}

void StateFold::operator()(const JobBecameEligible& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kPending && !j.eligible && j.held == HeldBy::kNobody);
  j.eligible = true;
  j.in_line = false;
  // A job that comes back keeps the age it had.
  if (j.eligible_since == Instant{}) j.eligible_since = at_;
  if (!s_.begins_.empty()) s_.begins_.erase({j.begin, j.id});
}

void StateFold::operator()(const DependencyDecided& event) {
  Job& j = job(event.job);
  CHECK(j.dependency == DependencyState::kWaiting);
  j.dependency = event.never ? DependencyState::kNever : DependencyState::kSatisfied;
  unwatch_dependencies(j);
}

void StateFold::operator()(const TaskSplit& event) {
  Job& record = job(event.array);
  Array& array = s_.arrays_.at(event.array);
  CHECK(record.is_array && array.waiting.contains(event.task));
  s_.in_records_ -= beyond_record(array);
  array.waiting.erase(event.task);
  s_.in_records_ += beyond_record(array);
  s_.tasks_[{event.array, event.task}] = event.job;
  if (event.job == event.array) {
    // The last one takes the record itself.
    CHECK(array.waiting.empty());
    record.is_array = false;
    record.task = event.task;
    return;
  }
  CHECK(event.job.value() == s_.next_job_, "jobs are numbered in order");
  ++s_.next_job_;
  CHECK(!array.waiting.empty(), "the last task takes the array's own number");
  ++array.remembered;
  Job task = record;
  task.id = event.job;
  task.is_array = false;
  task.eligible = false;  // It starts now, or becomes eligible again by its own event.
  task.task = event.task;
  refer(task.spec);
  ++s_.pending_;
  if (task.begin > at_) s_.begins_.emplace(task.begin, task.id);
  const Job& stored = s_.jobs_.insert(event.job, task);
  if (stored.dependency == DependencyState::kWaiting) watch_dependencies(stored);
}

void StateFold::operator()(const AgeBegan& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kPending && j.eligible && !j.is_array);
  j.ages_since = at_;
}

// What an earlier job left in it is still there.
std::uint32_t StateFold::new_run() {
  if (s_.free_runs_.empty()) {
    s_.runs_.emplace_back();
    return static_cast<std::uint32_t>(s_.runs_.size());
  }
  const std::uint32_t run = s_.free_runs_.back();
  s_.free_runs_.pop_back();
  return run;
}

// Everything but its TRES. Named one by one because clearing the whole of it takes longer than the
// rest of a start; the binding stops compiling when a member is added.
void StateFold::begin_run(Run& run, const Job& job, const JobStarted& event) {
  auto& [id, partition, allocation, tres, order, started, ended, expected_end, planned_end,
         counted_until, suspended_at, warned_until, suspended_for, outcome, ending_as, requeue,
         warned, cpus_lent, suspended_by, preemptor] = run;
  id = job.id;
  partition = event.partition;
  allocation = event.allocation;
  order = ++s_.starts_;
  started = counted_until = at_;
  expected_end = planned_end = at_ + job.limit;
  ended = suspended_at = warned_until = Instant{};
  suspended_for = Duration(0);
  outcome = Outcome{};
  ending_as = JobState::kPending;
  requeue = warned = cpus_lent = false;
  suspended_by = SuspendedBy::kUser;
  preemptor = JobId{};
}

void StateFold::operator()(const JobStarted& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kPending && !j.is_array && event.attempt == j.attempt + 1);
  leave_waiting(j);
  j.attempt = event.attempt;
  j.state = JobState::kRunning;
  if (j.run == 0) j.run = new_run();
  const Shape& asked = shape(j);
  Run& r = run(j);
  begin_run(r, j, event);
  count_tres(*s_.policy_, asked, event.partition, event.allocation, r.tres);
  if (asked.partitions.size() > 1) {
    count_waiting(asked, 1, Sign::kSubtract);
    count_submitted(asked, r.partition, Sign::kAdd);
  }
  if (s_.policy_->over_time_limit(event.partition) > Duration(0)) s_.overstaying_.insert(j.id);
  if (j.array != JobId{}) {
    Array& array = s_.arrays_.at(j.array);
    ++array.holding;
    array.any_started = true;
  }
  take_nodes(asked, r, Sign::kAdd);
  take_licenses(asked, Sign::kAdd);
  count_running(asked, r, Sign::kAdd);
  insert_end(r);
  if (asked.wants_signal) s_.awaiting_signal_.insert(j.id);
}

void StateFold::operator()(const TaskPutInLine& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kPending && !j.is_array && j.array != JobId{} && !j.eligible);
  j.in_line = true;
}

void StateFold::operator()(const LimitSignalled& event) {
  CHECK(s_.awaiting_signal_.erase(event.job) == 1);
}

void StateFold::operator()(const JobSuspended& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kRunning);
  Run& r = run(j);
  remove_end(r);
  j.state = JobState::kSuspended;
  r.suspended_at = at_;
  r.suspended_by = event.by;
  r.preemptor = event.preemptor;
  s_.overstaying_.insert(j.id);
  r.cpus_lent = event.by != SuspendedBy::kGang;
  if (r.cpus_lent) suspend_cpus(r, Sign::kAdd);
  s_.suspended_.insert(j.id);
}

void StateFold::operator()(const JobResumed& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kSuspended);
  Run& r = run(j);
  j.state = JobState::kRunning;
  const Duration pause = at_ - r.suspended_at;
  r.suspended_for += pause;
  r.expected_end += pause;
  r.preemptor = JobId{};
  if (r.cpus_lent) suspend_cpus(r, Sign::kSubtract);
  r.cpus_lent = false;
  insert_end(r);
  s_.suspended_.erase(j.id);
}

void StateFold::operator()(const PreemptionWarned& event) {
  Run& r = run(job(event.job));
  CHECK(!r.warned);
  r.warned = true;
  r.warned_until = event.deadline;
  r.preemptor = event.preemptor;
  s_.warned_.emplace(event.deadline, event.job);
  // It will be gone by then, and a plan may count on that.
  if (event.deadline < r.expected_end) {
    remove_end(r);
    r.expected_end = event.deadline;
    insert_end(r);
  }
}

void StateFold::operator()(const JobEnding& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kRunning || j.state == JobState::kSuspended);
  Run& r = run(j);
  book(j, r);
  count_tres_end(shape(j), r, Sign::kSubtract);
  if (j.state == JobState::kRunning) {
    remove_end(r);
  } else {
    // It gets no CPUs back for the moment it takes to end: others have them.
    r.suspended_for += at_ - r.suspended_at;
    s_.suspended_.erase(j.id);
  }
  j.state = JobState::kCompleting;
  r.counted_until = at_;
  r.ending_as = event.as;
  r.requeue = event.requeue;
  if (event.preemptor != JobId{}) r.preemptor = event.preemptor;
  r.expected_end = at_;
  r.planned_end = std::min(r.planned_end, at_);
  s_.overstaying_.insert(j.id);
  count_tres_end(shape(j), r, Sign::kAdd);
  insert_end(r);
  if (r.warned) s_.warned_.erase({r.warned_until, j.id});
  if (!s_.awaiting_signal_.empty()) s_.awaiting_signal_.erase(j.id);
}

void StateFold::operator()(const RequeueWithdrawn& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kCompleting);
  run(j).requeue = false;
  run(j).ending_as = JobState::kCancelled;
}

void StateFold::operator()(const JobEnded& event) {
  Job& j = job(event.job);
  CHECK(event.attempt == j.attempt && !has_ended(j.state));
  CHECK(has_ended(event.outcome.state));
  if (j.state == JobState::kPending) {
    count_waiting(shape(j), tasks_in(s_, j), Sign::kSubtract);
    leave_waiting(j);
    if (j.dependency == DependencyState::kWaiting) unwatch_dependencies(j);
    if (j.run == 0 && event.outcome != Outcome{.state = JobState::kCancelled}) {
      // Nothing ran, but how it ended is remembered.
      j.run = new_run();
      run(j) = Run{};
      run(j).job = j.id;
    }
    if (j.run != 0) {
      run(j).outcome = event.outcome;
      run(j).ended = at_;
    }
    if (j.is_array) {
      Array& array = s_.arrays_.at(j.array);
      const auto waiting = static_cast<std::uint32_t>(array.waiting.size());
      array.unfinished -= waiting;
      if (event.outcome.state != JobState::kCompleted) array.failed += waiting;
      s_.in_records_ -= beyond_record(array);
      array.waiting = IndexSet();
      end_record(j, event.outcome.state);
      return;
    }
  } else {
    Run& r = run(j);
    book(j, r);
    if (j.state == JobState::kSuspended)
      s_.suspended_.erase(j.id);
    else
      remove_end(r);
    count_tres_end(shape(j), r, Sign::kSubtract);
    if (!s_.overstaying_.empty()) s_.overstaying_.erase(j.id);
    if (r.warned) s_.warned_.erase({r.warned_until, j.id});
    if (!s_.awaiting_signal_.empty()) s_.awaiting_signal_.erase(j.id);
    if (r.cpus_lent) suspend_cpus(r, Sign::kSubtract);
    r.cpus_lent = false;
    const Shape& asked = shape(j);
    take_nodes(asked, r, Sign::kSubtract);
    take_licenses(asked, Sign::kSubtract);
    count_running(asked, r, Sign::kSubtract);
    count_submitted(asked, r.partition, Sign::kSubtract);
    r.ended = at_;
    r.outcome = event.outcome;
    if (j.array != JobId{}) --s_.arrays_.at(j.array).holding;
  }
  if (event.forgotten) {
    j.state = event.outcome.state;
    if (j.array != JobId{}) finish_task(j, event.outcome.state);
    forget(j.id);
    return;
  }
  end_record(j, event.outcome.state);
  if (j.array != JobId{}) finish_task(j, event.outcome.state);
}

void StateFold::end_record(Job& job, JobState state) {
  job.state = state;
  job.ended = at_;
  s_.ended_.emplace_back(at_, job.id);
}

void StateFold::finish_task(const Job& job, JobState state) {
  Array& array = s_.arrays_.at(job.array);
  --array.unfinished;
  if (state != JobState::kCompleted) ++array.failed;
}

void StateFold::operator()(const JobRequeued& event) {
  Job& j = job(event.job);
  CHECK(has_ended(j.state) && j.run != 0);
  if (j.array != JobId{}) {
    Array& array = s_.arrays_.at(j.array);
    ++array.unfinished;
    if (j.state != JobState::kCompleted) --array.failed;
  }
  j.begin = event.begin;
  j.ages_since = Instant{};
  j.held = event.held ? HeldBy::kUser : HeldBy::kNobody;
  enter_waiting(j);
  if (j.dependency == DependencyState::kWaiting) watch_dependencies(j);
  drop_stale_ends();
}

void StateFold::operator()(const JobHeld& event) {
  Job& j = job(event.job);
  // One that is told to end and comes back is held already when it does.
  const bool comes_back = j.state == JobState::kCompleting && run(j).requeue;
  CHECK((j.state == JobState::kPending || comes_back) && event.by != HeldBy::kNobody);
  j.held = event.by;
  if (comes_back) return;
  // Its age begins anew when it is released.
  j.eligible = false;
  j.eligible_since = Instant{};
  j.ages_since = Instant{};
}

void StateFold::operator()(const JobReleased& event) {
  Job& j = job(event.job);
  CHECK(j.state == JobState::kPending && j.held != HeldBy::kNobody);
  j.held = HeldBy::kNobody;
  if (j.begin > at_) s_.begins_.emplace(j.begin, j.id);
}

void StateFold::operator()(const JobChanged& event) {
  Job& j = job(event.job);
  CHECK(!has_ended(j.state));
  if (j.state != JobState::kPending) {
    // It keeps what it holds and counts in the same books: only what is said about it changes.
    unrefer(j.spec);
    j.spec = event.spec;
    refer(j.spec);
    return;
  }
  const std::int64_t count = tasks_in(s_, j);
  count_waiting(shape(j), count, Sign::kSubtract);
  if (j.dependency == DependencyState::kWaiting) unwatch_dependencies(j);
  const std::optional<QosId> qos = shape(j).qos;
  const std::optional<AssocId> assoc = shape(j).assoc;
  unrefer(j.spec);
  j.spec = event.spec;
  refer(j.spec);
  const Shape& now = shape(j);
  j.limit = now.limit;
  if (!s_.begins_.empty()) s_.begins_.erase({j.begin, j.id});
  if (now.request->begin) j.begin = std::max(*now.request->begin, at_);
  if (j.begin > at_) s_.begins_.emplace(j.begin, j.id);
  j.dependency =
      now.request->dependencies.terms.empty() ? DependencyState::kNone : DependencyState::kWaiting;
  if (j.dependency == DependencyState::kWaiting) watch_dependencies(j);
  j.eligible = false;
  // Other limits say whether it gains age, or it cannot start for now.
  if (now.qos != qos || now.assoc != assoc || j.begin > at_ ||
      j.dependency == DependencyState::kWaiting)
    j.ages_since = Instant{};
  count_waiting(now, count, Sign::kAdd);
}

void StateFold::operator()(const TimeLimitChanged& event) {
  Job& j = job(event.job);
  CHECK(!has_ended(j.state));
  if (j.state == JobState::kRunning || j.state == JobState::kSuspended) {
    Run& r = run(j);
    if (j.state == JobState::kRunning) remove_end(r);
    count_tres_end(shape(j), r, Sign::kSubtract);
    r.expected_end = r.started + r.suspended_for + event.limit;
    r.planned_end = r.started + event.limit;
    count_tres_end(shape(j), r, Sign::kAdd);
    if (j.state == JobState::kRunning) insert_end(r);
  }
  j.limit = event.limit;
}

void StateFold::operator()(const ThrottleChanged& event) {
  s_.arrays_.at(event.array).throttle = event.throttle;
}

void StateFold::operator()(const TasksCancelled& event) {
  Job& record = job(event.array);
  Array& array = s_.arrays_.at(event.array);
  CHECK(record.is_array);
  CHECK(array.waiting.contains_all(event.tasks));
  s_.in_records_ -= beyond_record(array);
  array.waiting.erase_all(event.tasks);
  s_.in_records_ += beyond_record(array);
  array.unfinished -= static_cast<std::uint32_t>(event.tasks.size());
  array.failed += static_cast<std::uint32_t>(event.tasks.size());
  count_waiting(shape(record), static_cast<std::int64_t>(event.tasks.size()), Sign::kSubtract);
  if (array.waiting.empty()) {
    leave_waiting(record);
    if (record.dependency == DependencyState::kWaiting) unwatch_dependencies(record);
    end_record(record, JobState::kCancelled);
  }
}

void StateFold::operator()(const JobForgotten& event) {
  forget(event.job);
  drop_stale_ends();
}

void StateFold::forget(JobId id) {
  const Job& gone = job(id);
  CHECK(has_ended(gone.state));
  if (gone.run != 0) s_.free_runs_.push_back(gone.run);
  unrefer(gone.spec);
  if (gone.array != JobId{}) {
    if (!gone.is_array) s_.tasks_.erase({gone.array, gone.task});
    forget_array_record(gone.array);
  }
  s_.jobs_.erase(id);
}

// The list of ended jobs is in order of time; one that was forgotten or came back is dropped when
// it gets to the front.
void StateFold::drop_stale_ends() {
  while (!s_.ended_.empty()) {
    const auto& [at, id] = s_.ended_.front();
    const Job* j = s_.jobs_.find(id);
    if (j != nullptr && has_ended(j->state) && j->ended == at) return;
    s_.ended_.pop_front();
  }
}

void StateFold::forget_array_record(JobId array) {
  auto it = s_.arrays_.find(array);
  if (--it->second.remembered == 0) s_.arrays_.erase(it);
}

}  // namespace sluice
