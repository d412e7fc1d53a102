// What chains get from the program around them: clusters by their names, and settings.
#pragma once

#include <memory>
#include <string>

#include "chains/open_chain.h"
#include "cli/connection.h"
#include "cluster/cluster.h"
#include "pools/routing_context.h"

namespace sluice {

std::unique_ptr<Cluster> cluster_named(const std::string& engine, Look look = Look::kShared);

// The embedded cluster follows an attended chain by itself.
ChainPorts chain_ports(StartDaemon start = StartDaemon::kIfAbsent);

// What a run with captured output said.
Result<std::string> captured_output(const std::string& job);

}  // namespace sluice
