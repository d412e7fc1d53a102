#include "pools/verbs/metrics_verb.h"

#include <fmt/format.h>

#include <memory>

#include "chains/chain_folders.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/local_time.h"
#include "host/files/files.h"
#include "pools/chain_context.h"
#include "pools/counters.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "text/scan.h"
#include "views/metrics_text.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

Result<void> add_cluster(MetricsText& out) {
  TRY(Connection daemon, Connection::open());
  TRY(const auto jobs, daemon.fetch<Lines<QueueLine>>("/v1/queue?arrays=records&state=all"));
  TRY(const auto nodes, daemon.fetch<Lines<NodeLine>>("/v1/nodes"));
  add_cluster_metrics(out, jobs.lines, nodes.lines);
  return {};
}

Result<void> add_pools(MetricsText& out, const std::string& engine) {
  TRY(const RoutedCluster on, open_cluster(engine));
  TRY(const RoutingSettings settings, load_routing_settings());
  TRY(const Description seen, on.cluster->describe());
  const auto pools = find_pools(seen, settings, usual_needs(seen, settings));
  const std::string date = today();
  add_pool_metrics(out, pools_json(PoolsPage{&seen, pools, date, now_here(), terminal_width()}));
  return {};
}

// One that is busy for long, or cannot be read, hides no other.
void add_chains(MetricsText& out) {
  constexpr Duration kPatience = seconds(2);
  std::vector<ChainView> views;
  for (const std::string& id : chain_ids())
    if (auto open = OpenChain::open(chain_ports(StartDaemon::kNever), id, kPatience))
      if (auto view = (*open)->view()) views.push_back(std::move(*view));
  RetriesByCause removed;
  for (const auto& [name, count] : kept_counts())
    if (name.first == CountOf::kRetry) removed[name.second] += count;
  add_chain_metrics(out, views, removed);
}

// By this user's commands, on any engine.
void add_counts(MetricsText& out) {
  const Counts counts = kept_counts();
  const auto each = [&](CountOf what, const auto& add) {
    for (const auto& [name, count] : counts)
      if (name.first == what) add(name.second, count);
  };
  out.family("sluice_submit_total", "Submissions by result", MetricKind::kCounter);
  for (const std::string_view result :
       {"accepted", "refused", "full", "invalid", "unreachable", "unknown"}) {
    const auto found = counts.find({CountOf::kSubmit, std::string(result)});
    out.sample({{"result", result}}, found == counts.end() ? 0 : found->second);
  }
  out.family("sluice_route_decisions_total", "Tasks sent to a pool by routing",
             MetricKind::kCounter);
  each(CountOf::kRoute, [&](const std::string& label, std::int64_t count) {
    const auto parts = split(label, ' ');
    if (parts.size() == 3)
      out.sample({{"account", parts[0]}, {"qos", parts[1]}, {"device", parts[2]}}, count);
  });
  out.family("sluice_slurm_rpc_total", "Calls of Slurm's commands", MetricKind::kCounter);
  each(CountOf::kSlurmCall, [&](const std::string& command, std::int64_t count) {
    out.sample({{"command", command}}, count);
  });
}

struct Options {
  std::string engine;
  bool json = false;
};

Result<void> run(const Options& options) {
  TRY(const std::string engine, chosen_engine(options.engine));
  MetricsText out;
  // A Slurm of 25.11 tells of its own jobs and nodes; under the same names.
  if (engine != "slurm") TRY_VOID(add_cluster(out));
  TRY_VOID(add_pools(out, engine));
  add_chains(out);
  add_counts(out);
  fmt::print("{}", options.json ? out.json() : out.text());
  return {};
}

}  // namespace

void add_metrics(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("metrics", "Print the cluster's numbers for Prometheus");
  auto options = std::make_shared<Options>();
  verb->add_flag("--json", options->json, "As JSON");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "Text that Prometheus reads: for node_exporter's textfile collector, or over HTTP from\n"
      "/metrics of 'sluice web' (docs/guide/metrics.md).\n\n"
      "Examples:\n  sluice metrics\n  sluice metrics --on slurm\n"
      "  sluice metrics > /var/lib/prometheus/node-exporter/sluice.prom");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
