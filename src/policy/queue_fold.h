// What each event means for the order of waiting.
#pragma once

#include "model/event.h"
#include "policy/queue.h"

namespace sluice {

class QueueFold {
 public:
  QueueFold(Queue& queue, const State& state, Instant at) : queue_(queue), state_(state), at_(at) {}
  void operator()(const PolicyAdopted&) const {
    queue_.adopt(state_);
    queue_.rebuild(state_, at_);
  }
  void operator()(const PrioritiesCalculated&) const { queue_.recalculate(state_, at_); }
  void operator()(const UsageWasReset&) const { queue_.recalculate(state_, at_); }
  void operator()(const JobSubmitted& e) const {
    if (const Job& job = state_.job(e.job); job.eligible) queue_.insert(state_, job, at_);
  }
  void operator()(const JobBecameEligible& e) const {
    queue_.insert(state_, state_.job(e.job), at_);
  }
  void operator()(const AgeBegan& e) const {
    queue_.remove(e.job);
    queue_.insert(state_, state_.job(e.job), at_);
  }
  void operator()(const JobStarted& e) const { queue_.remove(e.job); }
  void operator()(const JobEnded& e) const { queue_.remove(e.job); }
  void operator()(const JobHeld& e) const { queue_.remove(e.job); }
  void operator()(const JobChanged& e) const { queue_.remove(e.job); }
  void operator()(const TasksCancelled& e) const {
    if (has_ended(state_.job(e.array).state)) queue_.remove(e.array);
  }
  void operator()(const auto&) const {}

 private:
  Queue& queue_;
  const State& state_;
  Instant at_;
};

template <class Body>
void Queue::apply_body(const State& state, Instant at, const Body& body) {
  QueueFold(*this, state, at)(body);
}

}  // namespace sluice
