// Tasks of a chain along a route that was decided elsewhere.
#pragma once

#include <vector>

#include "escalation/spread.h"

namespace sluice {

// What the router is asked for these tasks.
RouteRequest route_request(const Chain& chain, const IndexSet& tasks);
Spreading spread_along(const Chain& chain, const IndexSet& tasks, const Request& asked,
                       std::vector<Pool> pools, Route route);

}  // namespace sluice
