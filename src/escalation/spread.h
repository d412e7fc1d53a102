// Tasks of a chain over all pools that have room now.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "cluster/description.h"
#include "escalation/chain.h"
#include "model/index_set.h"
#include "routing/pool.h"
#include "routing/router.h"
#include "routing/settings.h"

namespace sluice {

// Some tasks, and the pool they are for.
struct Share {
  IndexSet tasks;
  std::optional<Placement> placement;
};

// Shares out tasks that ask for the same. Tasks that are in no share wait.
using Spread = std::function<Result<std::vector<Share>>(const Chain& chain, const IndexSet& tasks,
                                                        const Request& asked)>;

struct Spreading {
  std::vector<Pool> pools;
  Route route;
  std::vector<Share> shares;  // As many as the route has.
};

// Pools that could take these tasks of the chain. Tasks of the chain that wait in a pool take up
// its room already.
std::vector<Pool> pools_for(const Chain& chain, const Request& asked, const Description& seen,
                            const RoutingSettings& settings);

// By what is free, as the chain's terms say. A chain that is no array has task 0 alone.
Spreading spread_over(const Chain& chain, const IndexSet& tasks, const Request& asked,
                      std::vector<Pool> pools);

// The job without what all batches share, as it is submitted to a pool.
Placement placement_in(const JobSpec& spec, const Pool& pool);
// The same job in another account.
void move_placement(Placement& placement, const std::string& account, const std::string& qos,
                    const std::vector<std::string>& partitions);

// An environment in which this variable has this value alone.
void set_variable(std::vector<EnvironmentVariable>& environment, const std::string& name,
                  const std::string& value);

}  // namespace sluice
