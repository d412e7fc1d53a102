// A route that simulated runs of the cluster chose, and not what is free now.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/router.h"

namespace sluice {

// Pools that may take a task, now or later: by when they finish, a full one may be the best.
std::vector<std::size_t> pools_that_may_finish(std::span<const Pool> pools,
                                               const RouteRequest& request);
// The route that gives so many tasks to each pool. When it is done is the simulation's to say.
Route route_by_simulation(std::span<const Pool> pools, const RouteRequest& request,
                          const std::vector<std::int64_t>& tasks);

}  // namespace sluice
