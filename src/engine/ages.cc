// Which waiting jobs gain age, where limits say how many may.
#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/emit.h"
#include "policy/age.h"

namespace sluice {

// In the order of slurmctld's records: that of submission, but that what is left of an array has a
// new record whenever a task leaves it, behind those that were submitted until then.
void Engine::begin_ages() {
  const Policy& policy = state_.policy();
  struct Waiting {
    JobId record;
    std::uint32_t task;
    JobId job;
  };
  std::vector<Waiting> waiting;
  for (const QueueEntry& entry : queue_.entries()) {
    if (entry.gone) continue;
    const Job& job = state_.job(entry.job);
    if (age_since(policy, state_.shape_of_job(job), job)) continue;
    JobId record = job.array != JobId{} ? job.array : job.id;
    if (job.is_array)
      for (const JobId task : state_.task_records(job.array)) record = std::max(record, task);
    waiting.push_back({record, job.is_array ? 0 : job.task, job.id});
  }
  if (waiting.empty()) return;
  const auto key = [](const Waiting& one) { return std::tuple(one.record, one.task, one.job); };
  std::sort(waiting.begin(), waiting.end(),
            [&](const Waiting& a, const Waiting& b) { return key(a) < key(b); });
  // A job of several partitions stands in the queue more than once.
  const auto end = std::unique(waiting.begin(), waiting.end(),
                               [](const Waiting& a, const Waiting& b) { return a.job == b.job; });
  waiting.erase(end, waiting.end());
  AgeBooks books = ages_now(state_);
  for (const Waiting& one : waiting) {
    const Shape& shape = state_.shape_of_job(state_.job(one.job));
    std::int64_t room = books.room_for(shape).value_or(0);
    const bool is_array = state_.job(one.job).is_array;
    books.add(shape, std::min(room, is_array ? tasks_left(one.job) : std::int64_t{1}));
    for (; room > 0; --room) {
      JobId job = one.job;
      if (is_array) {
        if (!state_.job(job).is_array) break;  // The last task took the record.
        job = split_task(one.job, *state_.find_array(one.job)->waiting.first());
        settle(job);
      }
      emit(AgeBegan{job});
      if (!is_array) break;
    }
  }
}

std::int64_t Engine::tasks_left(JobId array) const {
  return static_cast<std::int64_t>(state_.find_array(array)->waiting.size());
}

}  // namespace sluice
