// The cluster that tasks are routed on: this machine, or a Slurm.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/routing_context.h"
#include "base/result.h"
#include "cli/cli.h"
#include "cluster/cluster.h"

namespace sluice {

struct RoutedCluster {
  std::unique_ptr<Cluster> cluster;
  bool slurm = false;
  Duration look_again;   // How long to wait before pools are looked at again.
  std::string nickname;  // "Slurm", "the daemon": in messages.

  // The job and its change as a person would type them here.
  std::vector<std::string> submit_line(const JobSpec& spec) const;
  std::vector<std::string> update_line(const std::string& job, const JobChange& change) const;
};

// The chosen one.
Result<RoutedCluster> open_cluster(const std::string& asked, Look look = Look::kShared);

// What SLUICE_ON says, else the other, which is this machine unless a verb knows better.
std::string usual_engine(const std::string& otherwise = "embedded");
// "slurm" or "embedded": what was asked for, else the usual one. Anything else is bad input.
Result<std::string> chosen_engine(const std::string& asked,
                                  const std::string& otherwise = "embedded");

// Whether a command line names Slurm: --on slurm, or SLUICE_ON=slurm.
bool names_slurm(std::span<char* const> argv);

// Adds --on to a verb; the value stays empty where nobody says anything: then it is the usual one.
void add_engine_option(Command& verb, std::string& engine);

}  // namespace sluice
