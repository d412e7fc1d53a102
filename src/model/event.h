// Facts, past tense. Committed to the journal and folded into the state; versioned for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/allocation.h"
#include "model/held_by.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/node.h"
#include "model/outcome.h"
#include "model/policy.h"
#include "model/reservation.h"

namespace sluice {

// A policy is in force from now on. The first event of every journal.
struct PolicyAdopted {
  std::shared_ptr<const Policy> policy;
  friend bool operator==(const PolicyAdopted& a, const PolicyAdopted& b) {
    return a.policy == b.policy || (a.policy && b.policy && *a.policy == *b.policy);
  }
};

// A request got a number, so that many jobs can share it.
struct SpecDefined {
  SpecId spec;
  std::shared_ptr<const JobSpec> request;
  bool keep = false;  // Stays when no job refers to it any more.
  friend bool operator==(const SpecDefined& a, const SpecDefined& b) {
    return a.spec == b.spec && a.keep == b.keep &&
           (a.request == b.request || (a.request && b.request && *a.request == *b.request));
  }
};

// A job, or a whole array under one number, waits.
struct JobSubmitted {
  JobId job;
  SpecId spec;
  std::optional<Duration> limit;  // Shorter than the request's.
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

// Nothing but room, priority and limits keeps the job from starting any more.
struct JobBecameEligible {
  JobId job;
  friend bool operator==(const JobBecameEligible&, const JobBecameEligible&) = default;
};

// A dependency came true, or never will.
struct DependencyDecided {
  JobId job;
  bool never = false;
  friend bool operator==(const DependencyDecided&, const DependencyDecided&) = default;
};

// One task left the array record to lead a life of its own.
struct TaskSplit {
  JobId array;
  std::uint32_t task = 0;
  JobId job;
  friend bool operator==(const TaskSplit&, const TaskSplit&) = default;
};

// The task waits for the place of another task of its array and for nothing else: no pass looks at
// it. It starts in that place, or becomes eligible like any other where the place was not handed
// on.
struct TaskPutInLine {
  JobId job;
  friend bool operator==(const TaskPutInLine&, const TaskPutInLine&) = default;
};

// From now on the age of the waiting job counts: a limit on how many may gain any has room for it.
struct AgeBegan {
  JobId job;
  friend bool operator==(const AgeBegan&, const AgeBegan&) = default;
};

struct JobStarted {
  JobId job;
  std::uint32_t attempt = 0;  // Counts from 1; goes with every launch and every exit.
  PartitionId partition;
  Allocation allocation;
  friend bool operator==(const JobStarted&, const JobStarted&) = default;
};

struct JobSuspended {
  JobId job;
  SuspendedBy by = SuspendedBy::kUser;
  JobId preemptor{};  // Whom it made room for.
  friend bool operator==(const JobSuspended&, const JobSuspended&) = default;
};

struct JobResumed {
  JobId job;
  friend bool operator==(const JobResumed&, const JobResumed&) = default;
};

// A job was picked to make room; between this and the end lies the grace time.
struct PreemptionWarned {
  JobId job;
  JobId preemptor;
  Instant deadline;
  friend bool operator==(const PreemptionWarned&, const PreemptionWarned&) = default;
};

// The job got the signal it had asked for, some time before its limit.
struct LimitSignalled {
  JobId job;
  friend bool operator==(const LimitSignalled&, const LimitSignalled&) = default;
};

// The job was told to end, with this state in mind; its nodes are free once it has.
struct JobEnding {
  JobId job;
  JobState as = JobState::kCancelled;
  bool requeue = false;  // Comes back once it has ended.
  JobId preemptor{};     // For kPreempted.
  friend bool operator==(const JobEnding&, const JobEnding&) = default;
};

// A job that was to come back once it has ended will not.
struct RequeueWithdrawn {
  JobId job;
  friend bool operator==(const RequeueWithdrawn&, const RequeueWithdrawn&) = default;
};

// One run is over and its nodes are free.
struct JobEnded {
  JobId job;
  std::uint32_t attempt = 0;
  Outcome outcome;
  // Nothing remembers it from here on: no JobForgotten will follow.
  bool forgotten = false;
  friend bool operator==(const JobEnded&, const JobEnded&) = default;
};

// The job waits again.
struct JobRequeued {
  JobId job;
  Instant begin;
  bool held = false;
  friend bool operator==(const JobRequeued&, const JobRequeued&) = default;
};

struct JobHeld {
  JobId job;
  HeldBy by = HeldBy::kUser;
  friend bool operator==(const JobHeld&, const JobHeld&) = default;
};

struct JobReleased {
  JobId job;
  friend bool operator==(const JobReleased&, const JobReleased&) = default;
};

// A pending job's request was replaced; the job keeps its age.
struct JobChanged {
  JobId job;
  SpecId spec;
  friend bool operator==(const JobChanged&, const JobChanged&) = default;
};

// Only the limit of a running job, or the throttle of an array, changed.
struct TimeLimitChanged {
  JobId job;
  Duration limit;
  friend bool operator==(const TimeLimitChanged&, const TimeLimitChanged&) = default;
};

struct ThrottleChanged {
  JobId array;
  std::optional<std::uint32_t> throttle;
  friend bool operator==(const ThrottleChanged&, const ThrottleChanged&) = default;
};

// Some tasks of an array that never left its record were cancelled.
struct TasksCancelled {
  JobId array;
  IndexSet tasks;
  friend bool operator==(const TasksCancelled&, const TasksCancelled&) = default;
};

struct NodeChanged {
  NodeId node;
  NodeState state = NodeState::kUp;
  std::string why;
  friend bool operator==(const NodeChanged&, const NodeChanged&) = default;
};

// Usage was decayed and every priority calculated anew.
struct PrioritiesCalculated {
  friend bool operator==(const PrioritiesCalculated&, const PrioritiesCalculated&) = default;
};

struct UsageWasReset {
  friend bool operator==(const UsageWasReset&, const UsageWasReset&) = default;
};

// A job that ended long enough ago is no longer remembered.
struct JobForgotten {
  JobId job;
  friend bool operator==(const JobForgotten&, const JobForgotten&) = default;
};

// A reservation is in force as it stands here, new or changed.
struct ReservationMade {
  Reservation reservation;
  friend bool operator==(const ReservationMade&, const ReservationMade&) = default;
};

struct ReservationRemoved {
  std::string name;
  friend bool operator==(const ReservationRemoved&, const ReservationRemoved&) = default;
};

using EventBody =
    std::variant<PolicyAdopted, SpecDefined, JobSubmitted, JobBecameEligible, DependencyDecided,
                 TaskSplit, JobStarted, JobSuspended, JobResumed, PreemptionWarned, JobEnding,
                 RequeueWithdrawn, JobEnded, JobRequeued, JobHeld, JobReleased, JobChanged,
                 TimeLimitChanged, ThrottleChanged, TasksCancelled, NodeChanged,
                 PrioritiesCalculated, UsageWasReset, JobForgotten, LimitSignalled, TaskPutInLine,
                 ReservationMade, ReservationRemoved, AgeBegan>;

struct Event {
  Event() = default;
  Event(Instant when, EventBody what) : at(when), body(std::move(what)) {}
  template <class Body, class... Parts>
  Event(Instant when, std::in_place_type_t<Body> kind, Parts&&... parts)
      : at(when), body(kind, std::forward<Parts>(parts)...) {}

  Instant at;
  EventBody body;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace sluice
