#include "views/queue_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/array_spec.h"
#include "views/job_line.h"

namespace sluice {
namespace {

// Words are apart by blanks.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

template <class T>
bool passes(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

class Walk {
 public:
  Walk(const Engine& engine, Instant now, const QueueFilter& filter,
       const std::function<void(const QueueLine&, LineBefore)>& visit)
      : engine_(engine), state_(engine.state()), now_(now), filter_(filter), visit_(visit) {}

  void go() {
    std::vector<std::pair<std::uint64_t, JobId>> running;
    std::vector<JobId> aside;
    std::vector<std::pair<Instant, JobId>> ended;
    const auto take = [&](const Job& job) {
      if (holds_nodes(job.state))
        running.emplace_back(state_.run_of(job).order, job.id);
      else if (has_ended(job.state))
        ended.emplace_back(job.ended, job.id);
      else if (!engine_.queue().contains(job.id))
        aside.push_back(job.id);
      if (job.state == JobState::kPending && job.array != JobId{})
        waiting_.try_emplace(job.array, job.id);
    };
    state_.for_each_job(take);
    std::sort(running.begin(), running.end());
    for (const auto& [order, id] : running)
      if (!is_full()) show(id);
    // A job that asks for several partitions has an entry for each.
    std::set<JobId> shown;
    for (const QueueEntry& entry : engine_.queue().entries()) {
      if (is_full()) break;
      if (entry.gone) continue;
      const Job& job = state_.job(entry.job);
      if (state_.shape_of_job(job).partitions.size() > 1 && !shown.insert(entry.job).second)
        continue;
      show(entry.job);
    }
    for (const JobId id : aside)
      if (!is_full()) show(id);
    if (!filter_.states.empty() || filter_.ended_too) {
      std::sort(ended.begin(), ended.end());
      for (const auto& [at, id] : ended)
        if (!is_full()) show(id);
    }
  }

 private:
  bool wanted(const Job& job) const {
    if (!filter_.states.empty() && !passes(filter_.states, job.state)) return false;
    if (!filter_.jobs.empty() && !passes(filter_.jobs, job.id) &&
        (job.array == JobId{} || !passes(filter_.jobs, job.array)))
      return false;
    const Shape& shape = state_.shape_of_job(job);
    const JobSpec& request = *shape.request;
    if (!passes(filter_.users, request.user) || !passes(filter_.accounts, request.account) ||
        !passes(filter_.names, request.name))
      return false;
    if (filter_.viewer && !filter_.viewer->sees_job(request.user, request.account)) return false;
    if (!filter_.comment_word.empty() && !has_word(request.comment, filter_.comment_word))
      return false;
    const Policy& policy = state_.policy();
    if (!filter_.qos.empty() &&
        (!shape.qos || !passes(filter_.qos, policy.qos[shape.qos->index()].name)))
      return false;
    if (!filter_.partitions.empty() &&
        std::none_of(shape.partitions.begin(), shape.partitions.end(), [&](PartitionId id) {
          return passes(filter_.partitions, policy.partitions[id.index()].name);
        }))
      return false;
    return true;
  }

  bool is_full() const { return filter_.most > 0 && shown_ >= filter_.most; }
  void visit(LineBefore before = LineBefore::kAny) {
    ++shown_;
    visit_(line_, before);
  }

  void show(JobId id) {
    const Job& job = state_.job(id);
    // What lets one of them through lets all through that are alike, but for what is not shown.
    if (before_ != nullptr && filter_.jobs.empty() && filter_.comment_word.empty() &&
        is_alike(engine_, job, *before_, before_waits_)) {
      before_ = &job;
      fill_own_fields(engine_, job, line_);
      return visit(LineBefore::kAlike);
    }
    if (!wanted(job)) return;
    before_ = nullptr;
    if (job.array != JobId{} && filter_.arrays == ArrayLines::kOne) return show_array(job);
    fill_line(engine_, job, now_, line_);
    if (job.array == JobId{} && job.state == JobState::kPending) {
      before_ = &job;
      before_waits_ = engine_.explanation(id);
    }
    if (!job.is_array || filter_.arrays == ArrayLines::kRecords) return visit();
    line_.tasks = 1;
    line_.waiting = 1;
    const Array* array = state_.find_array(job.array);
    for (auto task = array->waiting.first(); task && !is_full();
         task = array->waiting.first(*task + 1)) {
      line_.task = *task;
      line_.id = fmt::format("{}_{}", job.array.value(), *task);
      visit();
    }
  }

  // The first record of it that comes stands for all.
  void show_array(const Job& job) {
    if (!arrays_.insert(job.array).second) return;
    const Array* array = state_.find_array(job.array);
    fill_line(engine_, job, now_, line_);
    if (array == nullptr) return visit();
    const ArraySpec& spec = *state_.shape_of_job(job).request->array;
    line_.task.reset();
    line_.id = fmt::format("{}_[{}]", job.array.value(),
                           format_array_tasks(ArraySpec{spec.indices, array->throttle}));
    line_.tasks = array->total;
    line_.running = array->holding;
    line_.waiting = static_cast<std::int64_t>(array->unfinished) - array->holding;
    line_.done = static_cast<std::int64_t>(array->total) - array->unfinished;
    const auto waiting = waiting_.find(job.array);
    if (line_.waiting > 0 && waiting != waiting_.end() && waiting->second != job.id) {
      // Why the rest waits.
      QueueLine rest;
      fill_line(engine_, state_.job(waiting->second), now_, rest);
      line_.reason = rest.reason;
      line_.detail = rest.detail;
      line_.expected = rest.expected;
      line_.planned = rest.planned;
    }
    visit();
  }

  const Engine& engine_;
  const State& state_;
  Instant now_;
  const QueueFilter& filter_;
  const std::function<void(const QueueLine&, LineBefore)>& visit_;
  QueueLine line_;
  const Job* before_ = nullptr;  // Whose line it is, where it waits and is of no array.
  Explanation before_waits_;
  std::size_t shown_ = 0;
  std::set<JobId> arrays_;
  std::map<JobId, JobId> waiting_;  // The first record of an array that waits: the array's own.
};

}  // namespace

void for_each_queue_line(const Engine& engine, Instant now, const QueueFilter& filter,
                         const std::function<void(const QueueLine&, LineBefore)>& visit) {
  if (engine.state().has_policy()) Walk(engine, now, filter, visit).go();
}

std::vector<QueueLine> queue_lines(const Engine& engine, Instant now, const QueueFilter& filter) {
  std::vector<QueueLine> out;
  for_each_queue_line(engine, now, filter,
                      [&](const QueueLine& line, LineBefore) { out.push_back(line); });
  return out;
}

}  // namespace sluice
