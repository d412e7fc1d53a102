#include "routing/awaited.h"

#include "base/check.h"

namespace sluice {
namespace {

// Slurm names the tasks of an array no more when all that waited were cancelled at once.
bool took_away(const Replacement& move, const RemoteJob& job, const SeenTask& task) {
  return move.old == job && (task.task ? move.going.contains(*task.task) : !move.going.empty());
}

}  // namespace

Awaited::Awaited(std::span<const RemoteJob> jobs) {
  for (const RemoteJob& job : jobs) all_.push_back({job, std::nullopt});
}

std::vector<RemoteRef> Awaited::refs() const {
  std::vector<RemoteRef> out;
  for (const One& one : all_) out.push_back({one.job, std::nullopt});
  return out;
}

bool Awaited::follow(const Replacement& move) {
  for (const One& one : all_)
    if (one.job == *move.job) return false;
  // Tasks that started where they were are cancelled in the new job.
  all_.push_back({*move.job, move.tasks ? std::optional(move.going) : std::nullopt});
  return true;
}

Awaited::End Awaited::look(std::span<const Sighting> seen, std::span<const Replacement> moves) {
  CHECK(seen.size() == all_.size(), "one sighting for each job");
  bool going = false;
  bool failed = false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const One one = all_[i];
    going |= seen[i].tasks.empty();
    for (const SeenTask& task : seen[i].tasks) {
      if (one.tasks && task.task && !one.tasks->contains(*task.task)) continue;
      if (!has_ended(task.state)) {
        going = true;
        continue;
      }
      bool moved = false;
      for (const Replacement& move : moves) {
        if (task.state != JobState::kCancelled || !took_away(move, one.job, task)) continue;
        moved = true;
        going |= move.stage != Replacement::Stage::kReleasing || follow(move);
      }
      failed |= !moved && task.state != JobState::kCompleted;
    }
  }
  return going ? End::kNotYet : failed ? End::kFailed : End::kCompleted;
}

}  // namespace sluice
