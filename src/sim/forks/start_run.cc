#include "sim/forks/start_run.h"

#include <algorithm>
#include <set>

#include "model/changed_request.h"
#include "sim/forks/drawn_runs.h"
#include "sim/forks/steps.h"
#include "sim/virtual_time.h"

namespace sluice {
namespace {

// What has not started within a year is not waited for.
constexpr Duration kHorizon = minutes(std::int64_t{366} * 24 * 60);

class Fork {
 public:
  Fork(const StateSnapshot& from, Instant now, const LearntRunTimes& learnt, const RunAhead& how)
      : now_(now),
        how_(how),
        draws_(learnt, now, how.draw),
        steps_(now, how.grain, how.draw),
        engine_(how.explain ? Engine::Explain::kYes : Engine::Explain::kNo),
        time_(
            engine_, [this](const Job& job) { return fate(job); },
            [this](const Turn& turn) { take(turn); }) {
    engine_.restore(from);
    horizon_ = std::min(how.until.value_or(Instant::max()), now + kHorizon);
  }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  StartRun run(const StartQuestion& question) {
    if (question.job) {
      if (!aim_at(*question.job)) return out_;
      if (how_.change != nullptr && !change_first(*question.job)) return out_;
      time_.take_over(now_);
    } else {
      time_.take_over(now_);
      submit(*question.request);
      if (out_.refusal) return out_;
    }
    out_.tasks = left_ + started_;
    const std::size_t before = waiting_before();
    while (left_ > 0 && !too_much_work()) {
      const auto next = time_.next();
      if (!next || *next > horizon_) break;
      steps_.go_on(time_, *next);
    }
    if (!out_.first_start) out_.after_endless = endless_ended_;
    if (endless_ended_) out_.last_start.reset();
    if (left_ > 0) {
      // Of an array the first task may have started all the same.
      out_.given_up = too_much_work();
      out_.last_start.reset();
      out_.reached = time_.now();
      out_.part = before == 0 ? 0
                              : 1 - std::min(1.0, static_cast<double>(waiting_before()) /
                                                      static_cast<double>(before));
      if (how_.explain && !targets_.empty())
        out_.reason = engine_.explanation(*targets_.begin()).reason;
    }
    return out_;
  }

 private:
  const State& state() const { return engine_.state(); }

  bool aim_at(const JobRef& ref) {
    const Job* job = state().find_job(ref.job);
    array_ = state().find_array(ref.job) != nullptr ? ref.job : JobId{};
    task_ = ref.task;
    if (ref.task)
      if (const Job* own = state().find_task(ref.job, *ref.task)) job = own;
    if (job == nullptr && array_ == JobId{}) {
      out_.ended = true;
      return false;
    }
    if (array_ != JobId{} && !ref.task) {
      const Array& array = *state().find_array(array_);
      left_ = array.waiting.size();
      for (const JobId id : state().task_records(array_)) {
        const Job& each = state().job(id);
        if (each.is_array || each.state != JobState::kPending) continue;
        targets_.insert(id);
        ++left_;
      }
      if (job != nullptr && job->is_array) targets_.insert(job->id);
      out_.ended = left_ == 0;
      return left_ > 0;
    }
    if (job->state != JobState::kPending) {
      out_.ended = has_ended(job->state);
      if (!out_.ended) out_.running = state().run_of(*job).started;
      return false;
    }
    if (ref.task && job->is_array && !state().find_array(array_)->waiting.contains(*ref.task)) {
      out_.ended = true;
      return false;
    }
    targets_.insert(job->id);
    left_ = 1;
    return true;
  }

  // Before the pass that takes over: the change is made now, and the job has not started.
  bool change_first(const JobRef& ref) {
    Turn turn;
    const std::string user = state().shape_of_job(state().job(*targets_.begin())).request->user;
    // Only what its owner may change is advice.
    engine_.handle(UpdateJob{ref, *how_.change, Actor{user, false}}, now_, turn);
    if (const auto* refused = std::get_if<Refused>(&turn.replies.front())) {
      out_.refusal = refused->refusal;
      return false;
    }
    take(turn);
    return left_ > 0 || out_.first_start.has_value();
  }

  void submit(const JobSpec& request) {
    JobSpec asked = how_.change == nullptr ? request : changed_request(request, *how_.change);
    left_ = asked.array ? asked.array->indices.size() : 1;
    next_ = state().next_job_id();
    targets_.insert(*next_);
    if (asked.array) array_ = *next_;
    const Reply reply = time_.give(SubmitJob{std::move(asked), 1}, now_);
    if (const auto* refused = std::get_if<Refused>(&reply)) out_.refusal = refused->refusal;
  }

  bool too_much_work() const { return how_.most_work > 0 && out_.work > how_.most_work; }

  // Jobs that stand in the queue before the first of those in question, itself included.
  std::size_t waiting_before() const {
    std::size_t out = 0;
    for (const QueueEntry& entry : engine_.queue().entries()) {
      if (entry.gone) continue;
      ++out;
      if (targets_.contains(entry.job)) return out;
    }
    return state().pending_count();
  }

  void take(const Turn& turn) {
    out_.work += Steps::work_of(turn, state());
    if (left_ == 0) return;
    for (const Event& event : turn.events) {
      if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
        if (!endless_ended_ && endless_.contains(ended->job)) endless_ended_ = ended->job;
      } else if (const auto* split = std::get_if<TaskSplit>(&event.body)) {
        if (split->array == array_ && array_ != JobId{} && (!task_ || split->task == *task_))
          targets_.insert(split->job);
      } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
        if (left_ == 0 || !targets_.contains(started->job)) continue;
        if (task_ && state().find_job(started->job) != nullptr &&
            state().job(started->job).array != JobId{} && state().job(started->job).task != *task_)
          continue;
        if (!out_.first_start) {
          out_.first_start = event.at;
          out_.first = *started;
          out_.after_endless = endless_ended_;
        }
        out_.last_start = event.at;
        --left_;
        ++started_;
        if (const Job* job = state().find_job(started->job)) {
          const Duration run = std::min(run_time(*job), job->limit);
          out_.end = std::max(out_.end, event.at + run);
          out_.ends = out_.ends && !endless_ended_ && run < kForever;
        }
      }
    }
  }

  Duration run_time(const Job& job) {
    return how_.times == RunTimes::kLimits ? job.limit : draws_.of(state(), job);
  }

  Fate fate(const Job& job) {
    Fate out;
    out.run = run_time(job);
    if (job.limit >= kForever && out.run >= job.limit) endless_.insert(job.id);
    out.outcome.state = JobState::kCompleted;
    out.run = steps_.rounded(state(), job, out.run);
    return out;
  }

  Instant now_;
  const RunAhead& how_;
  Instant horizon_;
  DrawnRuns draws_;
  Steps steps_;
  Engine engine_;
  VirtualTime time_;
  std::set<JobId> targets_;
  std::set<JobId> endless_;             // Run, and nobody knows for how long.
  std::optional<JobId> endless_ended_;  // The first of these that ended.
  std::optional<JobId> next_;
  JobId array_{};
  std::optional<std::uint32_t> task_;
  std::size_t left_ = 0;
  std::size_t started_ = 0;
  StartRun out_;
};

}  // namespace

StartRun run_ahead(const StateSnapshot& from, Instant now, const StartQuestion& question,
                   const LearntRunTimes& learnt, const RunAhead& how) {
  return Fork(from, now, learnt, how).run(question);
}

}  // namespace sluice
