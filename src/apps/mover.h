// Moves that were decided, carried out on a cluster: in place, or by another job where the site
// lets nobody change one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/routed_cluster.h"
#include "base/result.h"
#include "routing/rebalance.h"

namespace sluice {

struct Moved {
  std::string job;
  std::string pool;
  std::string what;
  bool moved = false;
  std::optional<JobId> new_job;  // That runs in its place.
};

// "23", "23_[2-3]"
std::string job_words(const RemoteJob& job, const std::optional<IndexSet>& tasks);

// What would be done.
Result<std::vector<Moved>> moves_in_words(const RoutedCluster& on, const Rebalance& plan,
                                          const std::vector<WaitingTasks>& waiting);
Result<std::vector<Moved>> carry_out(const RoutedCluster& on, const Description& seen,
                                     const Rebalance& plan,
                                     const std::vector<WaitingTasks>& waiting);

// Carries to its end what an earlier process left half done; says on standard error what it did.
Result<void> finish_moves(const RoutedCluster& on);

}  // namespace sluice
