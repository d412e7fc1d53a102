// -M and SLURM_CLUSTERS: there is one cluster, and nothing is done here that was meant for another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shims/shim.h"

namespace sluice {

// The name of the cluster where the list has it, or "all". Nothing: the call was told that none of
// those is known; `said_by` is what named them.
std::optional<std::string> pick_cluster(ShimCall& call, const std::string& list,
                                        std::string_view said_by = "--cluster");

// The same for squeue, sinfo and others that also take SLURM_CLUSTERS: "" where nothing was asked.
std::optional<std::string> pick_cluster_typed(ShimCall& call,
                                              const std::optional<std::string>& typed);

}  // namespace sluice
