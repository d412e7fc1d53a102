// Numbers are used again after a reset: a job is its number and the time of its submission.
#include "slurm/observation.h"

#include <algorithm>
#include <map>
#include <set>

namespace sluice {
namespace {

// Slurm's times are whole seconds. Any other is our own estimate: a moment before the submission.
bool is_estimate(Instant submitted) {
  return submitted == Instant{} || submitted.time_since_epoch() % seconds(1) != Duration(0);
}

// A job that was requeued has a later time, and says so; one that was not is another job.
bool is_of(const RemoteRef& ref, JobId job, Instant submitted, std::int32_t restarts) {
  if (job != ref.job.job || submitted < ref.job.submitted) return false;
  return submitted == ref.job.submitted || restarts > 0 || is_estimate(ref.job.submitted);
}

}  // namespace

std::vector<JobId> to_ask_accounting(std::span<const RemoteRef> refs,
                                     std::span<const MyJob> queue) {
  std::set<JobId> out;
  std::map<JobId, const MyJob*> rows;
  for (const MyJob& row : queue) {
    const auto [at, is_new] = rows.emplace(row.job, &row);
    // One that has ended, or that is an array, speaks for the rest.
    if (!is_new && has_ended(row.seen.state)) at->second = &row;
  }
  for (const RemoteRef& ref : refs) {
    const auto found = rows.find(ref.job.job);
    if (found == rows.end() || found->second->seen.task || has_ended(found->second->seen.state) ||
        !is_of(ref, found->second->job, found->second->submitted, found->second->seen.restarts))
      out.insert(ref.job.job);
  }
  return {out.begin(), out.end()};
}

std::vector<SeenTask> put_together(const RemoteRef& ref, std::span<const MyJob> queue,
                                   std::span<const AccountedTask> accounted) {
  std::map<std::int64_t, SeenTask> tasks;  // By task; -1: no array.
  const auto wanted = [&](const SeenTask& seen) { return !ref.task || seen.task == ref.task; };
  const auto key = [](const SeenTask& seen) { return seen.task ? std::int64_t{*seen.task} : -1; };
  for (const AccountedTask& row : accounted)
    if ((is_of(ref, row.job, row.submitted, 0) ||
         (row.job == ref.job.job && row.submitted < ref.job.submitted &&
          ref.job.submitted <= row.resubmitted)) &&
        wanted(row.seen))
      tasks[key(row.seen)] = row.seen;
  // Waiting tasks that were cancelled all at once: the queue names them no more, and the accounting
  // may not have heard of it.
  bool rest_cancelled = false;
  for (const MyJob& row : queue) {
    if (!is_of(ref, row.job, row.submitted, row.seen.restarts)) continue;
    rest_cancelled |= !row.seen.task && row.seen.state == JobState::kCancelled;
    if (!wanted(row.seen)) continue;
    const auto found = tasks.find(key(row.seen));
    if (found == tasks.end()) {
      tasks[key(row.seen)] = row.seen;
      continue;
    }
    SeenTask& known = found->second;
    const bool same_end = has_ended(row.seen.state) && has_ended(known.state) &&
                          row.seen.end == known.end && row.seen.state == known.state;
    const std::int32_t restarts = std::max(known.restarts, row.seen.restarts);
    if (!same_end) known = row.seen;
    // squeue shows the exit code as it was; sacct does not.
    known.exit_code = row.seen.exit_code;
    known.restarts = restarts;
  }
  if (rest_cancelled)
    for (auto& [task, seen] : tasks)
      if (seen.state == JobState::kPending) seen.state = JobState::kCancelled;
  // The whole array's row beside those of its tasks says nothing of its own, unless it is all that
  // tells of those that were cancelled.
  const bool named = std::any_of(tasks.begin(), tasks.end(), [](const auto& it) {
    return it.first >= 0 && it.second.state == JobState::kCancelled;
  });
  if (tasks.size() > 1 && (!rest_cancelled || named)) tasks.erase(-1);
  std::vector<SeenTask> out;
  for (auto& [task, seen] : tasks) out.push_back(std::move(seen));
  return out;
}

}  // namespace sluice
