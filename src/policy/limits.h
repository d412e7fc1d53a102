// Which limit, if any, keeps a job out, in the order in which slurmctld 22.05 looks.
#pragma once

#include <optional>

#include "model/reason.h"
#include "state/state.h"

namespace sluice {

// At submission: what is refused at once. Arrays count their tasks against submit limits. Limits
// that a job breaks by itself count only where DenyOnLimit says so. Of several partitions each must
// let the job in.
std::optional<Reason> limit_at_submission(const State& state, const Shape& shape,
                                          std::int64_t tasks);

// The same for a job that waits as `before` and would wait as `after`: its own submission is not
// counted twice.
std::optional<Reason> limit_at_change(const State& state, const Shape& before, const Shape& after,
                                      std::int64_t tasks);

// What a request counts for when it is submitted: the CPUs that come with its GPUs are not among
// it, and for memory that comes with them stands what it would have without GPUs, if that is
// anything.
TresVector counted_at_submission(const Policy& policy, const PolicyNames& names,
                                 const Shape& shape);

// What a job counts for until it runs, of what it would hold: slurmctld knows no types of GPUs then
// but those that the job asks for, in limits and in what is billed. Once it runs all count.
TresVector counted_to_start(const Policy& policy, const Shape& shape, PartitionId partition,
                            const TresVector& held);

// Before nodes are looked for: job counts, wall times.
std::optional<Reason> limit_before_placement(const State& state, const Shape& shape,
                                             PartitionId partition, Duration limit, Instant now);

// With what the job would really hold: GrpTRES and all its kin. Without an allocation it is
// taken to run on nodes that its group uses already, as far as these go.
std::optional<Reason> limit_after_placement(const State& state, const Shape& shape,
                                            PartitionId partition, Duration limit,
                                            const TresVector& held, Instant now,
                                            const Allocation* allocation = nullptr);

// The wall time that a job without one gets from the limits: the smallest of the MaxWall and
// GrpWall that bind it.
std::optional<Duration> wall_from_limits(const Policy& policy, std::optional<AssocId> assoc,
                                         std::optional<QosId> qos, PartitionId partition);

// The most nodes that the limits in force let the job have in this partition, whatever others hold.
std::optional<std::int64_t> most_nodes_by_limits(const Policy& policy, const Shape& shape,
                                                 PartitionId partition);

}  // namespace sluice
