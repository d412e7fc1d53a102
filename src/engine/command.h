// What users want, and what the world reports: the engine's input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "engine/order.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/job_change.h"
#include "model/outcome.h"
#include "model/policy.h"
#include "model/reason.h"
#include "model/reservation.h"

namespace sluice {

// The user who asks. The driver knows (SO_PEERCRED); the request never says so itself.
struct Actor {
  std::string user;
  bool is_operator = false;  // May touch everybody's jobs.
};

struct SubmitJob {
  JobSpec request;
  // Jobs of their own, numbered in order; those that a limit on submissions keeps out are not made.
  std::uint32_t copies = 1;
};

// Checks a request once and gives it a number under which many jobs can be submitted.
struct DefineSpec {
  std::shared_ptr<const JobSpec> request;
};

struct SubmitKnown {
  SpecId spec;
  // Shorter than what the request asks for; absent: as the request says.
  std::optional<Duration> limit;
};

// A job, a whole array, or one task of it.
struct JobRef {
  JobId job;
  std::optional<std::uint32_t> task;
};

struct CancelJob {
  JobRef ref;
  Actor actor;
  // Many tasks of the array at once; ref names the array alone then.
  std::optional<IndexSet> tasks = std::nullopt;
};

struct HoldJob {
  JobRef ref;
  Actor actor;
};

struct ReleaseJob {
  JobRef ref;
  Actor actor;
};

struct RequeueJob {
  JobRef ref;
  Actor actor;
  bool hold = false;
};

struct SuspendJob {
  JobRef ref;
  Actor actor;
};

struct ResumeJob {
  JobRef ref;
  Actor actor;
};

struct UpdateJob {
  JobRef ref;
  JobChange change;
  Actor actor;
};

struct ChangeNode {
  std::string node;
  NodeState state = NodeState::kUp;
  std::string why;
};

struct CreateReservation {
  ReservationRequest request;
  Actor actor;
};

struct UpdateReservation {
  std::string name;
  ReservationChange change;
  Actor actor;
};

struct DeleteReservation {
  std::string name;
  Actor actor;
};

struct AdoptPolicy {
  std::shared_ptr<const Policy> policy;
};

struct ResetUsage {};

// The world reports: a run is over. A late report of an earlier attempt is recognised by its
// number and ignored.
struct RunEnded {
  JobId job;
  std::uint32_t attempt = 0;
  Outcome outcome;
  std::optional<RunInLine> next = std::nullopt;  // The run in line behind it, which runs now.
};

// The world reports: a run that was in line will not be started there.
struct RunReturned {
  JobId job;
};

// The world reports: a run is gone with its node, and how it ended is not known. It comes back
// where it may be requeued.
struct RunLost {
  JobId job;
  std::uint32_t attempt = 0;
  // It was in line behind this one, and may have started there.
  std::optional<JobId> place = std::nullopt;
};

// Nothing but time has passed.
struct Tick {};

using Input = std::variant<SubmitJob, DefineSpec, SubmitKnown, CancelJob, HoldJob, ReleaseJob,
                           RequeueJob, SuspendJob, ResumeJob, UpdateJob, ChangeNode, AdoptPolicy,
                           ResetUsage, RunEnded, RunReturned, RunLost, Tick, CreateReservation,
                           UpdateReservation, DeleteReservation>;

// The answers.
struct Submitted {
  JobId job;
  std::uint32_t count = 1;  // Copies that were made.
};
struct SpecAccepted {
  SpecId spec;
};
struct Done {};
// What is in the way: the request itself, or that this actor may not make it.
enum class RefusedFor : std::uint8_t { kRequest, kRights };
struct Refused {
  Refusal refusal;
  RefusedFor because = RefusedFor::kRequest;
};
using Reply = std::variant<Done, Submitted, SpecAccepted, Refused>;

}  // namespace sluice
