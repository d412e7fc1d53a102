// The cluster that tasks are routed on: this machine, or a Slurm.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/cli.h"
#include "cli/engine_choice.h"
#include "cluster/cluster.h"
#include "pools/routing_context.h"

namespace sluice {

struct RoutedCluster {
  std::unique_ptr<Cluster> cluster;
  bool slurm = false;
  Duration look_again;   // How long to wait before pools are looked at again.
  std::string nickname;  // "Slurm", "the daemon": in messages.

  // A job's change as a person would type it here.
  std::vector<std::string> update_line(const std::string& job, const JobChange& change) const;
};

// The chosen one.
Result<RoutedCluster> open_cluster(const std::string& asked, Look look = Look::kShared);

// The user has no pool on it for what was asked.
Error no_account_for_this(const Description& seen, const std::string& before_hint);

}  // namespace sluice
