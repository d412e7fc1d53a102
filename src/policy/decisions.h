// Where a pass puts what it decided. The engine makes events of it at once, so that the rest of
// the pass sees the state as decided so far.
#pragma once

#include <span>

#include "base/time.h"
#include "model/allocation.h"
#include "model/ids.h"
#include "model/preemption.h"
#include "model/reason.h"

namespace sluice {

class Decisions {
 public:
  virtual ~Decisions() = default;
  // The job, or the next task of the array, starts here and now.
  virtual void start(JobId job, PartitionId partition, const Allocation& allocation) = 0;
  // The victim makes room for the preemptor.
  virtual void push_out(JobId victim, JobId preemptor, PreemptMode mode) = 0;
  // The job was looked at and does not start.
  virtual void wait(JobId job, PartitionId partition, const Reason& reason) = 0;
  // It is planned to start then, on these nodes.
  virtual void plan(JobId job, Instant start, std::span<const NodeId> nodes) = 0;
};

}  // namespace sluice
