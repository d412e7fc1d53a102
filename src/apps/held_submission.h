// Several jobs at once on a cluster: all of them or none, and never one of them twice.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"

namespace sluice {

// How long a submission whose answer was lost is looked for before it is taken for not done: twice
// Slurm's usual MessageTimeout and some seconds.
inline constexpr Duration kSettleTime = seconds(30);

// Submits all held, then releases all. Keeps what was asked for in `requests`, unless that is
// empty. Where one is refused the others are cancelled and the refusal is the error. The note in
// `folder` outlives a crash; tidy_up() reads it.
Result<std::vector<RemoteJob>> submit_all(Cluster& cluster, std::vector<JobSpec> specs,
                                          const std::string& folder, const std::string& requests,
                                          Duration settle_time = kSettleTime);

}  // namespace sluice
