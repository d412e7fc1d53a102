// Short tasks of one array hand their place on: which follows is written down ahead, so that no
// commit lies between the end of one and the start of the next.
//
// No pass looks at a task in line. It starts where the world reports that it took the place of the
// one before it, and becomes eligible like any other where it is returned. Only tasks of the array
// that is next in the queue are put in line, behind tasks of the same request, and only while those
// are quick: no job waits longer for it than a moment.
#include <algorithm>

#include "engine/emit.h"

namespace sluice {
namespace {

// A commit is worth hiding behind runs of at most this length: 20 ms, and the 10 ms that a report
// may wait for others,
constexpr Duration kQuick(30);
// once so many in a row were as short.
constexpr std::uint32_t kQuickInARow = 8;
// So many in line, and no more than at the array's pace have their turn within this time.
constexpr std::size_t kLongestLine = 64;
constexpr Duration kLongestWait(100);
// The pace is that of the last runs; so many of them.
constexpr std::uint32_t kPaceOver = 256;

}  // namespace

void Engine::note_pace(const Job& job) {
  if (!hands_on_ || job.array == JobId{}) return;
  const Duration took = now_ - state_.run_of(job).started;
  if (took > kQuick) {
    quick_.erase(job.array);
    return;
  }
  Pace& pace = quick_[job.array];
  if (pace.runs == kPaceOver) {
    pace.runs /= 2;
    pace.time /= 2;
  }
  ++pace.runs;
  // Of those told together the first has the time of all: the sum is right.
  pace.time += took;
}

void Engine::take_over(JobId before, RunInLine next, PartitionId partition,
                       const Allocation& allocation) {
  std::deque<JobId> line;
  if (const auto found = lines_.find(before); found != lines_.end()) {
    line = std::move(found->second);
    lines_.erase(found);
    while (!line.empty() && line.front() != next.job) line.pop_front();
    if (!line.empty()) line.pop_front();
  }
  const Job* job = state_.find_job(next.job);
  if (job == nullptr || !job->in_line || next.attempt != job->attempt + 1) {
    // Cancelled while it waited, and too late.
    order(EndJob{next.job, next.attempt});
    return;
  }
  emit(JobStarted{next.job, next.attempt, partition, allocation});
  if (!line.empty()) lines_.emplace(next.job, std::move(line));
  if (state_.anybody_depends()) settle_dependents(state_.job(next.job));
}

// They stand behind the record of their array in the queue, and came before it.
std::optional<JobId> Engine::returned_first(const Job& record) {
  const auto found = returned_.find(record.array);
  if (found == returned_.end()) return std::nullopt;
  std::set<JobId>& back = found->second;
  while (!back.empty()) {
    const JobId id = *back.begin();
    back.erase(back.begin());
    const Job* job = state_.find_job(id);
    if (job != nullptr && job->state == JobState::kPending && job->eligible && job->attempt == 0 &&
        job->spec == record.spec && job->limit == record.limit)
      return id;
  }
  returned_.erase(found);
  return std::nullopt;
}

void Engine::hand_on() {
  if (!hands_on_ || quick_.empty()) return;
  queue_.tidy();
  const auto& entries = queue_.entries();
  const auto first =
      std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(queue_.head()), entries.end(),
                   [](const QueueEntry& entry) { return !entry.gone; });
  if (first == entries.end()) return quick_.clear();
  const Job& record = state_.job(first->job);
  const auto pace = quick_.find(record.array);
  if (!record.is_array || pace == quick_.end() || pace->second.runs < kQuickInARow) return;
  const auto why = explanations_.find(record.id);
  if (why == explanations_.end() || (why->second.reason.rule != Rule::kResources &&
                                     why->second.reason.rule != Rule::kArrayTaskLimit))
    return;
  if (state_.policy().preemption.gang) return;
  // A task that takes a place over is not looked at again: a reservation may begin before its
  // limit.
  if (!state_.reservations().empty()) return;
  std::vector<JobId> holders;
  for (const ExpectedEnd& end : state_.expected_ends()) {
    const Job& job = state_.job(end.job);
    if (job.array != record.array || job.state != JobState::kRunning) continue;
    const Run& run = state_.run_of(job);
    if (job.spec != record.spec || job.limit != record.limit || run.warned ||
        run.partition != first->partition)
      continue;
    holders.push_back(job.id);
  }
  if (holders.empty()) return;
  const Array& array = *state_.find_array(record.array);
  // Towards the end no line gets many: the last ones go to the places that are free first.
  std::size_t most = std::min(kLongestLine, array.waiting.size() / (2 * holders.size()));
  if (const auto time = pace->second.time.count(); time > 0)
    most =
        std::min(most, static_cast<std::size_t>(kLongestWait.count() * pace->second.runs / time));
  for (const JobId holder : holders) {
    std::deque<JobId>& line = lines_[holder];
    if (line.size() * 2 > most) continue;
    while (line.size() < most) {
      const JobId before = line.empty() ? holder : line.back();
      const JobId own = split_task(record.array, *array.waiting.first());
      emit(TaskPutInLine{own});
      line.push_back(own);
      const std::uint32_t attempt = before == holder ? state_.job(holder).attempt : 1;
      order(LaunchJob{own, 1, RunInLine{before, attempt}, holder});
    }
  }
}

}  // namespace sluice
