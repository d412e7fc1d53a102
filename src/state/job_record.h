// One job, or the tasks of an array that have not left its record yet.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/allocation.h"
#include "model/held_by.h"
#include "model/ids.h"
#include "model/index_set.h"
#include "model/outcome.h"
#include "model/tres.h"

namespace sluice {

enum class DependencyState : std::uint8_t { kNone, kWaiting, kSatisfied, kNever };

struct Job {
  JobId id;
  SpecId spec;
  JobId array;             // The array's number for the array record and for its tasks; else 0.
  std::uint32_t task = 0;  // The index, for a task that has left the array record.
  std::uint32_t attempt = 0;
  std::uint32_t run = 0;  // Index into the runs, plus one; 0 before the first start.
  JobState state = JobState::kPending;
  HeldBy held = HeldBy::kNobody;
  DependencyState dependency = DependencyState::kNone;
  bool is_array = false;  // Stands for the waiting tasks of its array.
  bool eligible = false;
  bool in_line = false;  // For the place of another task of its array.
  Instant submitted;
  Instant begin;           // Not before this; the time of submission where nothing was asked.
  Instant eligible_since;  // Age counts from here, unless a limit says which jobs gain any.
  Instant ages_since;      // From here where one does; nothing: it gains none.
  Instant ended;           // Of its last run, or when it was cancelled.
  Duration limit{0};
};

// What only a job that has started has.
struct Run {
  JobId job;
  PartitionId partition;
  Allocation allocation;
  TresVector tres;          // What it counts against limits.
  std::uint64_t order = 0;  // Of starting.
  Instant started;
  Instant ended;
  Instant expected_end;
  Instant planned_end;    // Start plus limit, suspended or not: run minutes count up to here.
  Instant counted_until;  // Usage before this is in the books.
  Instant suspended_at;
  Instant warned_until;  // Picked to make room, grace ends here.
  Duration suspended_for{0};
  Outcome outcome;
  JobState ending_as = JobState::kPending;  // kPending: was not told to end.
  bool requeue = false;
  bool warned = false;
  bool cpus_lent = false;  // Suspended so that others have its CPUs.
  SuspendedBy suspended_by = SuspendedBy::kUser;
  JobId preemptor;
};

// An array as a whole.
struct Array {
  JobId id;
  IndexSet waiting;  // Tasks that have not left the record.
  std::optional<std::uint32_t> throttle;
  std::uint32_t total = 0;
  std::uint32_t holding = 0;  // Tasks that hold nodes.
  std::uint32_t unfinished = 0;
  std::uint32_t remembered = 0;  // Records of its tasks, the array record included.
  std::uint32_t failed = 0;      // Tasks that ended otherwise than COMPLETED and did not come back.
  bool any_started = false;
};

}  // namespace sluice
