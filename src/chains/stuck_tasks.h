// A chain's tasks that are stuck in a full account, and accounts that have room for them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "chains/open_chain.h"
#include "cluster/cluster.h"
#include "cluster/waiting_tasks.h"
#include "escalation/advance.h"
#include "escalation/chain.h"
#include "routing/rebalance.h"

namespace sluice {

// What routing.yaml says, and the .sluice.yaml of the project that the chain was submitted in,
// wherever it is looked at from; only the accounts of its terms.
Result<RoutingSettings> settings_for(const ChainPorts& ports, const Chain& chain);

// Whether its tasks may go to another account: the request names none, or several.
bool may_move(const Chain& chain);
// Whether tasks of it wait on the cluster.
bool tasks_wait(const Chain& chain);

struct ChainRebalance {
  std::size_t moved = 0;     // Tasks.
  std::size_t accounts = 0;  // That its tasks could use.
  std::vector<std::string> notes;
  std::vector<ChainMove> refused;  // The site allows no change of them: another job has to.
};

// Looks where tasks could go, and moves those that are stuck, in place where the site allows it.
Result<ChainRebalance> rebalance_chain(const Chain& chain, Cluster& cluster,
                                       const RoutingSettings& settings, Instant now);
// A move of its tasks that the site refused, as the chain makes it. Nothing where jobs that are not
// the chain's depend on theirs.
Result<std::optional<ChainMove>> by_another_job(const Chain& chain, const Cluster& cluster,
                                                const Move& move, const WaitingTasks& from);
// How many accounts they could use; 0 where that is not said.
std::size_t accounts_for(const Chain& chain, Cluster& cluster, const RoutingSettings& settings);

// "23", "23_[2-3]"
std::string job_words(const RemoteJob& job, const std::optional<IndexSet>& tasks);

}  // namespace sluice
