// What the verbs about chains share: where chains are kept, the cluster they run on, and a chain
// that is open for work.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/routing_context.h"
#include "base/result.h"
#include "cli/connection.h"
#include "cli/local_time.h"
#include "cluster/cluster.h"
#include "escalation/advance.h"
#include "ledger/lease.h"
#include "ledger/ledger.h"
#include "routing/replacement.h"
#include "routing/settings.h"
#include "views/chain_view.h"

namespace sluice {

// $SLUICE_HOME/chains, or chains in the state folder.
std::string chains_folder();
std::string chain_folder(const std::string& id);
// By the time of their making, oldest first.
std::vector<std::string> chain_ids();
// The chain whose batch carries this key; nothing where it is no chain's.
std::optional<std::string> chain_of_key(const std::string& key);
// Where a chain on Slurm has moved tasks of this job by another one.
std::optional<Replacement> moved_by_chain(std::uint32_t job, std::optional<std::uint32_t> task);
// A chain by its id, by an unambiguous beginning of it, or "last".
Result<std::string> find_chain(const std::string& given);
// "20261115-132511-t0l3"
std::string new_chain_id();

std::unique_ptr<Cluster> cluster_named(const std::string& engine, Look look = Look::kShared);
// Where a chain was submitted: "slurm" or "embedded".
std::string engine_of(const std::string& id);
// That cluster. The embedded one follows the chain by itself, unless it is not to be attended.
std::unique_ptr<Cluster> cluster_of(const Chain& chain, StartDaemon start = StartDaemon::kIfAbsent);

// The lease, the ledger and a copy of the chain that Advance works on.
class OpenChain {
 public:
  static Result<std::unique_ptr<OpenChain>> open(const std::string& id, Duration patience);
  static Result<std::unique_ptr<OpenChain>> create(const Chain& chain, const std::string& engine);

  Chain& chain() { return chain_; }
  Ledger& ledger() { return *ledger_; }
  const Lease& lease() const { return lease_; }
  // Looks, acts, and looks again where somebody left word meanwhile.
  Result<Progress> step(Cluster& cluster);
  Result<Progress> cancel(Cluster& cluster);
  // Moves waiting tasks by another job, as one step of the chain.
  Result<Progress> move(Cluster& cluster, std::span<const ChainMove> moves);
  // Whether somebody should look again soon: tasks wait that could go elsewhere.
  bool may_find_room() const;
  Result<void> record(ChainEvent event);
  // On Slurm handler jobs are submitted; here the daemon goes on. Without either somebody has to
  // type `sluice resume`.
  void attend(Cluster& cluster, std::optional<RemoteJob> self = std::nullopt);
  Result<ChainView> view();

 private:
  Advance& advance(Cluster& cluster);
  OpenChain(Lease lease, std::unique_ptr<Ledger> ledger)
      : lease_(std::move(lease)), ledger_(std::move(ledger)), chain_(ledger_->chain()) {}
  // Moves tasks that are stuck, now and then.
  void rebalance(Cluster& cluster, Progress& progress);
  Lease lease_;
  std::unique_ptr<Ledger> ledger_;
  Chain chain_;
  Attendance attendance_;
  std::unique_ptr<Advance> advance_;  // Keeps its successor between steps.
};

// Sites forbid asking Slurm often; our own daemon may be asked.
Duration pause_between_looks(const std::string& id);

// What routing.yaml says, and the .sluice.yaml of the project that the chain was submitted in,
// whoever looks from wherever.
Result<RoutingSettings> settings_of(const Chain& chain);

// Whether handlers were switched off when the chain was submitted.
bool is_attended(const Chain& chain);

// Where the output of a task's run is; stderr where it has a file of its own.
struct OutputPaths {
  std::string output;
  std::string error;
};
OutputPaths output_paths(const Chain& chain, const Batch& batch, std::uint32_t index,
                         const std::string& node);

// The first stderr rule that what the task wrote matches.
MatchStderr stderr_matcher(const Chain& chain);
// A pattern that cannot be read is refused before anything is submitted.
Result<void> check_patterns(const Ladder& ladder);

// The small job that goes on with a chain.
JobSpec handler_job(const Chain& chain, Cluster& cluster);

}  // namespace sluice
