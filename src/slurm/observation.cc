// Rows submitted before the job was are those of another with the same number.
#include "slurm/observation.h"

#include <algorithm>
#include <map>
#include <set>

namespace sluice {
namespace {

bool is_of(const RemoteRef& ref, JobId job, Instant submitted) {
  return job == ref.job.job && submitted >= ref.job.submitted;
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
        found->second->submitted < ref.job.submitted)
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
    if (is_of(ref, row.job, row.submitted) && wanted(row.seen)) tasks[key(row.seen)] = row.seen;
  // Waiting tasks that were cancelled all at once: the queue names them no more, and the accounting
  // may not have heard of it.
  bool rest_cancelled = false;
  for (const MyJob& row : queue) {
    if (!is_of(ref, row.job, row.submitted)) continue;
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
