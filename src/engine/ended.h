// What ended in a turn, as it stood just before: the state may have forgotten it, or started it
// again, by the time the turn is over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.h"
#include "model/index_set.h"
#include "model/outcome.h"
#include "model/policy.h"
#include "state/job_record.h"
#include "state/shape.h"

namespace sluice {

struct Ended {
  Instant at;
  Outcome outcome;
  Job job;
  std::optional<Run> run;  // Nothing where it never started.
  IndexSet tasks;          // Of an array: those that ended together without having started.
  bool last = true;        // Nothing of its array is left.
  std::uint32_t array_total = 0;
  std::uint32_t array_failed = 0;  // Before this.
  std::int64_t priority = 0;
  Shape shape;
  std::shared_ptr<const Policy> policy;  // Which its ids are of.
};

}  // namespace sluice
