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

template <class Body>
void Engine::take_in(const Body& kept) {
  // Whoever starts has been looked at by the pass that starts it.
  if constexpr (std::is_same_v<Body, JobEnded> || std::is_same_v<Body, JobForgotten> ||
                std::is_same_v<Body, PrioritiesCalculated>)
    since_pass_ = std::max(since_pass_, SincePass::kEnds);
  else if constexpr (!std::is_same_v<Body, JobSubmitted> && !std::is_same_v<Body, SpecDefined> &&
                     !std::is_same_v<Body, JobStarted>)
    since_pass_ = SincePass::kAnything;
  if constexpr (std::is_same_v<Body, JobEnded>) {
    if (end_watcher_) end_watcher_(kept);
  }
  state_.apply_body(now_, kept);
  if constexpr (std::is_same_v<Body, PolicyAdopted>) adopt();
  queue_.apply_body(state_, now_, kept);
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
