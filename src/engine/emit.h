// How an event comes about: for the engine's own files.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "engine/engine.h"
#include "model/event.h"
#include "policy/queue_fold.h"
#include "state/fold.h"

namespace sluice {

// Which events could let a waiting job start, so that a pass follows. A start is no such event: the
// pass that starts a job looks at the others behind it.
template <class Body>
inline constexpr bool kLetsOthersStart =
    std::is_same_v<Body, PolicyAdopted> || std::is_same_v<Body, JobSubmitted> ||
    std::is_same_v<Body, JobBecameEligible> || std::is_same_v<Body, DependencyDecided> ||
    std::is_same_v<Body, JobEnded> || std::is_same_v<Body, JobRequeued> ||
    std::is_same_v<Body, JobHeld> || std::is_same_v<Body, TimeLimitChanged> ||
    std::is_same_v<Body, ThrottleChanged> || std::is_same_v<Body, TasksCancelled> ||
    std::is_same_v<Body, NodeChanged> || std::is_same_v<Body, UsageWasReset> ||
    std::is_same_v<Body, ReservationMade> || std::is_same_v<Body, ReservationRemoved>;

// Which events leave behind a waiting job whose request is new to its number.
template <class Body>
inline constexpr bool kBringsWaitingJob =
    std::is_same_v<Body, JobSubmitted> || std::is_same_v<Body, JobChanged> ||
    std::is_same_v<Body, TaskSplit> || std::is_same_v<Body, JobRequeued>;

template <class Body>
void Engine::note_change(const Body& kept) {
  if constexpr (kLetsOthersStart<Body>) changed_ = true;
  // What the engine suspends makes room for a job that the same pass has placed there.
  if constexpr (std::is_same_v<Body, JobSuspended>)
    changed_ = changed_ || kept.by == SuspendedBy::kUser;
  if constexpr (std::is_same_v<Body, PrioritiesCalculated>) usage_grew_ = true;
  if constexpr (std::is_same_v<Body, JobEnded>)
    usage_grew_ = usage_grew_ || holds_nodes(state_.job(kept.job).state);
}

template <class Body>
void Engine::take_in(const Body& kept) {
  note_change(kept);
  // A job that starts has been looked at by the pass that starts it.
  if constexpr (std::is_same_v<Body, JobEnded> || std::is_same_v<Body, JobForgotten> ||
                std::is_same_v<Body, PrioritiesCalculated>)
    since_pass_ = std::max(since_pass_, SincePass::kEnds);
  else if constexpr (!std::is_same_v<Body, JobSubmitted> && !std::is_same_v<Body, SpecDefined> &&
                     !std::is_same_v<Body, JobStarted>)
    since_pass_ = SincePass::kAnything;
  if constexpr (std::is_same_v<Body, JobEnded>) {
    if (lists_ends_) list_end(state_.job(kept.job), kept.outcome, nullptr);
  } else if constexpr (std::is_same_v<Body, TasksCancelled>) {
    if (lists_ends_)
      list_end(state_.job(kept.array), Outcome{.state = JobState::kCancelled}, &kept.tasks);
  }
  state_.apply_body(now_, kept);
  if constexpr (std::is_same_v<Body, PolicyAdopted>) adopt();
  queue_.apply_body(state_, now_, kept);
  if constexpr (kBringsWaitingJob<Body>) note_switch_wait(kept.job);
}

template <class Body>
void Engine::emit(Body body) {
  const Event& event = turn_->events.emplace_back(now_, std::in_place_type<Body>, std::move(body));
  take_in(*std::get_if<Body>(&event.body));
}

template <class Body, class Fill>
void Engine::emit_in_place(Fill fill) {
  Event& event = turn_->events.emplace_back(now_, std::in_place_type<Body>);
  Body& body = *std::get_if<Body>(&event.body);
  fill(body);
  take_in(body);
}

}  // namespace sluice
