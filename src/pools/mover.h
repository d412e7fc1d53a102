// Moves that were decided, carried out on a cluster: in place, or, where the site lets nobody
// change a job, by another job of the chain or routed submission that it belongs to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pools/routed_cluster.h"
#include "routing/rebalance.h"

namespace sluice {

struct Moved {
  std::string job;
  std::string pool;
  std::string what;
  bool moved = false;
  std::optional<JobId> new_job;  // That runs in its place.
};

// What would be done.
Result<std::vector<Moved>> moves_in_words(const RoutedCluster& on, const Rebalance& plan,
                                          const std::vector<WaitingTasks>& waiting);
Result<std::vector<Moved>> carry_out(const RoutedCluster& on, const Rebalance& plan,
                                     const std::vector<WaitingTasks>& waiting);

// Tasks of a job on Slurm that another job took over.
struct TakenOver {
  RemoteJob old;
  std::optional<IndexSet> tasks;  // Nothing: no array.
  std::string pool;
  RemoteJob job;
};
std::optional<TakenOver> taken_over(std::uint32_t job, std::optional<std::uint32_t> task);

}  // namespace sluice
