// Facts, past tense. Committed to the journal and folded into the state; versioned for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/allocation.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/node.h"
#include "model/outcome.h"
#include "model/policy.h"

namespace sluice {

// A policy is in force from now on. The first event of every journal.
struct PolicyAdopted {
  std::shared_ptr<const Policy> policy;
};

// A request got a number, so that many jobs can share it.
struct SpecDefined {
  SpecId spec;
  std::shared_ptr<const JobSpec> request;
  bool keep = false;  // Stays when no job refers to it any more.
};

// A job, or a whole array under one number, waits.
struct JobSubmitted {
  JobId job;
  SpecId spec;
};

// Nothing but room, priority and limits keeps the job from starting any more.
struct JobBecameEligible {
  JobId job;
};

// A dependency came true, or never will.
struct DependencyDecided {
  JobId job;
  bool never = false;
};

// One task left the array record to lead a life of its own.
struct TaskSplit {
  JobId array;
  std::uint32_t task = 0;
  JobId job;
};

struct JobStarted {
  JobId job;
  std::uint32_t attempt = 0;  // Counts from 1; goes with every launch and every exit.
  PartitionId partition;
  Allocation allocation;
};

enum class SuspendedBy : std::uint8_t { kUser, kPreemption, kGang };

struct JobSuspended {
  JobId job;
  SuspendedBy by = SuspendedBy::kUser;
  JobId preemptor{};  // Whom it made room for.
};

struct JobResumed {
  JobId job;
};

// Somebody was picked to make room; between this and the end lies the grace time.
struct PreemptionWarned {
  JobId job;
  JobId preemptor;
  Instant deadline;
};

// The job was told to end, with this state in mind; its nodes are free once it has.
struct JobEnding {
  JobId job;
  JobState as = JobState::kCancelled;
  bool requeue = false;  // Comes back once it has ended.
  JobId preemptor{};     // For kPreempted.
};

// A job that was to come back once it has ended will not.
struct RequeueWithdrawn {
  JobId job;
};

// One run is over and its nodes are free.
struct JobEnded {
  JobId job;
  std::uint32_t attempt = 0;
  Outcome outcome;
};

// The job waits again.
struct JobRequeued {
  JobId job;
  Instant begin;
  bool held = false;
};

enum class HeldBy : std::uint8_t { kNobody, kUser, kAdmin };

struct JobHeld {
  JobId job;
  HeldBy by = HeldBy::kUser;
};

struct JobReleased {
  JobId job;
};

// A pending job's request was replaced; the job keeps its age.
struct JobChanged {
  JobId job;
  SpecId spec;
};

// Only the limit of a running job, or the throttle of an array, changed.
struct TimeLimitChanged {
  JobId job;
  Duration limit;
};

struct ThrottleChanged {
  JobId array;
  std::optional<std::uint32_t> throttle;
};

// Some tasks of an array that never left its record were cancelled.
struct TasksCancelled {
  JobId array;
  IndexSet tasks;
};

struct NodeChanged {
  NodeId node;
  NodeState state = NodeState::kUp;
  std::string why;
};

// Usage was decayed and every priority calculated anew.
struct PrioritiesCalculated {};

struct UsageWasReset {};

// A job that ended long enough ago is no longer remembered.
struct JobForgotten {
  JobId job;
};

using EventBody =
    std::variant<PolicyAdopted, SpecDefined, JobSubmitted, JobBecameEligible, DependencyDecided,
                 TaskSplit, JobStarted, JobSuspended, JobResumed, PreemptionWarned, JobEnding,
                 RequeueWithdrawn, JobEnded, JobRequeued, JobHeld, JobReleased, JobChanged,
                 TimeLimitChanged, ThrottleChanged, TasksCancelled, NodeChanged,
                 PrioritiesCalculated, UsageWasReset, JobForgotten>;

struct Event {
  Instant at;
  EventBody body;
};

}  // namespace sluice
