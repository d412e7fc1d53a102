#include "pools/chain_context.h"

#include "pools/embedded_cluster.h"
#include "pools/notify.h"

namespace sluice {

std::unique_ptr<Cluster> cluster_named(const std::string& engine, Look look) {
  if (engine == kEmbeddedEngine) return std::make_unique<EmbeddedCluster>();
  return this_slurm(look);
}

ChainPorts chain_ports(StartDaemon start) {
  ChainPorts out;
  out.cluster = [start](const Chain& chain) -> std::unique_ptr<Cluster> {
    if (chain.terms.engine != kEmbeddedEngine) return this_slurm();
    return std::make_unique<EmbeddedCluster>(
        chain.terms.attended ? chain_folder(chain.id) : std::string(), start);
  };
  out.settings = [](const std::string& project) { return load_routing_settings(project); };
  out.notify = deliver_notice;
  return out;
}

}  // namespace sluice
