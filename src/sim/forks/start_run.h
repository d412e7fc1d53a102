// One run ahead: the cluster as it is, in virtual time, until the job in question has started.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/command.h"
#include "model/event.h"
#include "model/job_change.h"
#include "model/reason.h"
#include "sim/forks/learnt_run_times.h"
#include "state/snapshot.h"

namespace sluice {

// A job that waits there, or one that would be submitted now.
struct StartQuestion {
  std::optional<JobRef> job;
  std::optional<JobSpec> request;
};

enum class RunTimes : std::uint8_t { kLimits, kDrawn };

// How a run ahead goes.
struct RunAhead {
  RunTimes times = RunTimes::kDrawn;
  std::uint64_t draw = 0;  // The same number gives every job the same run time.
  const JobChange* change = nullptr;
  bool explain = false;            // Says why what does not start waits.
  Duration grain{0};               // The first step (steps.h); zero: event by event.
  std::uint64_t most_work = 0;     // Then it is given up.
  std::optional<Instant> until{};  // What starts later does not matter.
};

struct StartRun {
  std::optional<Refusal> refusal;
  std::optional<Instant> running;  // It runs already.
  bool ended = false;
  std::optional<Instant> first_start;
  std::optional<JobStarted> first;
  std::optional<Instant> last_start;
  Instant end{};
  bool ends = true;  // Nothing endless is before the last task's end, and none of them is endless.
  Reason reason;
  // It started after the end of this job, which has no time limit: nobody knows when that ends.
  std::optional<JobId> after_endless;
  std::size_t tasks = 1;
  // About a microsecond each; counted, so that the same question has the same answer everywhere.
  std::uint64_t work = 0;
  bool given_up = false;  // It was too much work. Then:
  Instant reached{};      // how far it came, and which part of the jobs before it had started.
  double part = 0;
};

StartRun run_ahead(const StateSnapshot& from, Instant now, const StartQuestion& question,
                   const LearntRunTimes& learnt, const RunAhead& how);

}  // namespace sluice
