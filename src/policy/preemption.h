// Who may push out whom, and whom to push out so that a job fits.
#pragma once

#include <optional>
#include <vector>

#include "policy/placement.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// What would become of the victim if a job of this shape in this partition pushed it out; nothing
// where it may not.
std::optional<PreemptMode> may_push_out(const State& state, const Shape& preemptor,
                                        PartitionId partition, const Job& victim, Instant now);

// Whether there could be anybody whom such a job may push out.
bool may_push_anybody_out(const Policy& policy, const Shape& shape);

// How long a job is safe after its start.
Duration exempt_time(const Policy& policy, const Shape& victim);
// Whether anybody could have such a time.
bool exempts_anybody(const Policy& policy);

// What becomes of a job that is pushed out: its QoS or its partition says so, or the cluster.
PreemptMode preempt_mode_of(const State& state, const Job& victim);

struct Victim {
  JobId job;
  PreemptMode mode = PreemptMode::kOff;
};

struct PushOut {
  std::vector<Victim> victims;  // Empty: waiting for those already leaving is enough.
  Allocation allocation;        // Where the job will then fit.
  bool at_once = false;         // Only suspensions: it fits as soon as they are suspended.
};

// The fewest and least of the jobs that may be pushed out, or nothing where even all of them
// would not help. `free` is what the nodes have now.
std::optional<PushOut> find_push_out(const State& state, const Topology& topology,
                                     const Shape& shape, PartitionId partition,
                                     const std::vector<NodeFree>& free, Instant now);

}  // namespace sluice
