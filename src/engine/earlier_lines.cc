#include "engine/earlier_lines.h"

#include "state/state.h"

namespace sluice {
namespace {

bool was_in_line(const Job& job, Instant now) {
  if (job.in_line || job.state != JobState::kPending) return false;
  if (job.is_array || job.array == JobId{}) return false;
  if (job.eligible || job.attempt > 0 || job.held != HeldBy::kNobody) return false;
  if (job.begin > now) return false;
  return job.dependency == DependencyState::kNone || job.dependency == DependencyState::kSatisfied;
}

}  // namespace

std::vector<JobId> earlier_lines(const State& state, Instant now) {
  std::vector<JobId> out;
  if (!state.has_policy()) return out;
  state.for_each_job([&](const Job& job) {
    if (was_in_line(job, now)) out.push_back(job.id);
  });
  return out;
}

}  // namespace sluice
