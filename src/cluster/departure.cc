#include "cluster/departure.h"

#include <fmt/format.h>

namespace sluice {
namespace {

bool is_held(const SeenTask& task) {
  return task.state == JobState::kPending && task.reason.starts_with("JobHeld");
}

}  // namespace

Result<std::optional<std::string>> Departure::try_to_hold(const IndexSet& tasks) {
  if (tasks.empty()) return std::nullopt;
  TRY(const auto done, kind_ == Kind::kArray ? cluster_.hold_tasks(job_, tasks)
                                             : cluster_.hold({job_, std::nullopt}));
  const auto* refusal = std::get_if<Refusal>(&done);
  if (refusal == nullptr) return std::nullopt;
  return fmt::format("the old job cannot be held: {}", refusal->message);
}

Result<void> Departure::hold_again(const IndexSet& tasks) {
  return try_to_hold(tasks).map([](const auto&) {});
}

Result<Departure::Held> Departure::hold(const IndexSet& tasks) {
  Held out;
  TRY(auto refused, try_to_hold(tasks));
  if (refused) {
    // Where they are held one by one the first may be held already.
    TRY(const Look left, look(tasks));
    out.seen = left.complete;
    if (!left.complete) return out;
    TRY_VOID(let_go_on(left.held));
    out.refused = std::move(*refused);
    return out;
  }
  TRY(Look seen, look(tasks));
  // What was held a moment ago and does not look so comes from an older answer.
  out.seen = seen.complete && seen.loose.empty();
  if (!out.seen) return out;
  TRY_VOID(let_go_on(seen.running));
  out.tasks = std::move(seen.held);
  return out;
}

Result<std::optional<IndexSet>> Departure::cancel(const IndexSet& held) {
  TRY(Look seen, look(held));
  if (!seen.complete) return std::nullopt;
  TRY_VOID(let_go_on(seen.running));
  TRY_VOID(let_go_on(seen.loose));  // They stay, and nothing holds them then.
  IndexSet going = held;
  for (const IndexSet* staying : {&seen.running, &seen.loose})
    for (const std::uint32_t task : staying->to_vector()) going.erase(task);
  if (!seen.held.empty())
    TRY_VOID(kind_ == Kind::kArray ? cluster_.cancel_tasks(job_, seen.held)
                                   : cluster_.cancel({job_, std::nullopt}));
  TRY(seen, look(going));
  if (!seen.complete || !seen.held.empty() || !seen.loose.empty()) return std::nullopt;
  for (const std::uint32_t task : seen.running.to_vector()) going.erase(task);
  return going;
}

// What runs and was held would be held where it is requeued.
Result<void> Departure::let_go_on(const IndexSet& tasks) {
  for (const std::uint32_t task : tasks.to_vector())
    TRY_VOID(cluster_.release(
        {job_, kind_ == Kind::kArray ? std::optional<std::uint32_t>(task) : std::nullopt}));
  return {};
}

// Each of these tasks is held, waits otherwise, runs, was cancelled, or has ended.
Result<Departure::Look> Departure::look(const IndexSet& tasks) {
  Look out;
  if (tasks.empty()) return out;
  const RemoteRef ref{job_, std::nullopt};
  TRY(const auto sightings, cluster_.observe({&ref, 1}));
  out.complete = sightings.front().complete;
  if (!out.complete) return out;
  IndexSet known;
  bool rest_cancelled = false;
  for (const SeenTask& task : sightings.front().tasks) {
    // An array all of whose waiting tasks were cancelled at once: Slurm names them no more.
    if (kind_ == Kind::kArray && !task.task) {
      rest_cancelled |= task.state == JobState::kCancelled;
      continue;
    }
    const std::uint32_t index = task.task.value_or(0);
    if (!tasks.contains(index)) continue;
    known.insert(index);
    if (is_held(task))
      out.held.insert(index);
    else if (task.state == JobState::kPending)
      out.loose.insert(index);
    else if (task.state != JobState::kCancelled)
      out.running.insert(index);
  }
  out.complete = rest_cancelled || known.size() == tasks.size();
  return out;
}

}  // namespace sluice
