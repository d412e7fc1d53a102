#include "pools/chain_context.h"

#include "cli/connection.h"
#include "pools/embedded_cluster.h"
#include "pools/notify.h"
#include "wire/http.h"

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
  out.captured = captured_output;
  return out;
}

Result<std::string> captured_output(const std::string& job) {
  TRY(Connection daemon, Connection::open(StartDaemon::kNever));
  std::string out;
  TRY_VOID(
      daemon.stream("/v1/jobs/" + percent_encoded(job) + "/output", [&](std::string_view bytes) {
        out += bytes;
        return true;
      }));
  return out;
}

}  // namespace sluice
