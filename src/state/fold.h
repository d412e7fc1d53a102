// One event folded into a state; the handlers are spread over several files by what they touch.
#pragma once

#include <type_traits>

#include "model/event.h"
#include "state/state.h"

namespace sluice {

class StateFold {
 public:
  StateFold(State& state, Instant at) : s_(state), at_(at) {}

  void operator()(const PolicyAdopted& event);
  void operator()(const SpecDefined& event);
  void operator()(const JobSubmitted& event);
  void operator()(const JobBecameEligible& event);
  void operator()(const DependencyDecided& event);
  void operator()(const TaskSplit& event);
  void operator()(const AgeBegan& event);
  void operator()(const JobStarted& event);
  void operator()(const JobSuspended& event);
  void operator()(const JobResumed& event);
  void operator()(const PreemptionWarned& event);
  void operator()(const JobEnding& event);
  void operator()(const RequeueWithdrawn& event);
  void operator()(const JobEnded& event);
  void operator()(const JobRequeued& event);
  void operator()(const JobHeld& event);
  void operator()(const JobReleased& event);
  void operator()(const JobChanged& event);
  void operator()(const TimeLimitChanged& event);
  void operator()(const ThrottleChanged& event);
  void operator()(const TasksCancelled& event);
  void operator()(const NodeChanged& event);
  void operator()(const PrioritiesCalculated& event);
  void operator()(const UsageWasReset& event);
  void operator()(const JobForgotten& event);
  void operator()(const LimitSignalled& event);
  void operator()(const TaskPutInLine& event);
  void operator()(const ReservationMade& event);
  void operator()(const ReservationRemoved& event);

  // snapshot.cc
  void restore(const StateSnapshot& from);

 private:
  Job& job(JobId id) { return s_.jobs_.at(id); }
  Run& run(const Job& job) { return s_.runs_[job.run - 1]; }
  Shape& shape(const Job& job) { return s_.shapes_.at(job.spec); }

  // jobs_fold.cc
  void refer(SpecId spec);
  void unrefer(SpecId spec);
  void submit_special(Job& job);
  void leave_waiting(Job& job);
  void enter_waiting(Job& job);
  void watch_dependencies(const Job& job);
  void unwatch_dependencies(const Job& job);
  void finish_task(const Job& job, JobState state);
  void forget_array_record(JobId array);
  void forget(JobId job);
  std::uint32_t new_run();
  void begin_run(Run& run, const Job& job, const JobStarted& event);
  void end_record(Job& job, JobState state);
  void drop_stale_ends();

  void restore_job(const Job& job);

  // holdings_fold.cc
  enum class Sign : std::int8_t { kAdd = 1, kSubtract = -1 };
  // As waiting: with every partition it names. As running: with the one it runs in.
  void count_waiting(const Shape& shape, std::int64_t jobs, Sign sign);
  void count_submitted(const Shape& shape, PartitionId partition, Sign sign);
  void count_running(const Shape& shape, const Run& run, Sign sign);
  // Into books that are written anew, from what the job and its run say.
  void write_waiting(const Job& job);
  void write_run(const Job& job, Run& run);
  void count_tres_end(const Shape& shape, const Run& run, Sign sign);
  template <class Change>
  void for_each_association(const Shape& shape, Change change);
  template <class Change>
  void for_each_in_qos(const Shape& shape, QosId qos, Change change);
  template <class Change>
  void for_each_holding(const Shape& shape, PartitionId partition, Change change);
  void take_nodes(const Shape& shape, const Run& run, Sign sign);
  static void take_layer(NodeUse& node, const NodeShare& share, Sign sign);
  void take_cpus(const Run& run, Sign sign);
  void suspend_cpus(const Run& run, Sign sign);
  void take_licenses(const Shape& shape, Sign sign);
  void insert_end(const Run& run);
  void remove_end(const Run& run);
  double decayed_seconds(std::int64_t count);
  // Books the run's usage up to now.
  void book(const Job& job, Run& run);
  void decay(Instant until);

  // reservations_fold.cc
  void number_nodes(KeptReservation& reservation) const;

  State& s_;
  Instant at_;
};

template <class Body>
void State::apply_body(Instant at, const Body& body) {
  CHECK(policy_ != nullptr || (std::is_same_v<Body, PolicyAdopted>),
        "the first event adopts a policy");
  CHECK(at >= now_, "time runs backwards");
  now_ = at;
  StateFold fold(*this, at);
  fold(body);
}

}  // namespace sluice
