// A chain, or a routed submission, that is open for work: its lease, its ledger, its cluster.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "chains/chain_folders.h"
#include "cluster/cluster.h"
#include "escalation/advance.h"
#include "ledger/lease.h"
#include "ledger/ledger.h"
#include "routing/settings.h"
#include "views/chain_view.h"

namespace sluice {

// What chains need of the program around them.
struct ChainPorts {
  // The cluster that the chain was submitted to.
  std::function<std::unique_ptr<Cluster>(const Chain& chain)> cluster;
  // routing.yaml, and the settings of the project in this folder.
  std::function<Result<RoutingSettings>(const std::string& project)> settings;
  // Told what views/notice.h makes of it: the chain's end, tasks given up, no pool with room. May
  // be empty. What comes back could not be delivered.
  std::function<std::vector<std::string>(const std::string& json)> notify;
  // What a run with captured output said, by its number: "12" or "12_3".
  std::function<Result<std::string>(const std::string& job)> captured;
};

inline constexpr const char* kEmbeddedEngine = "embedded";

class OpenChain {
 public:
  static Result<std::unique_ptr<OpenChain>> open(const ChainPorts& ports, const std::string& id,
                                                 Duration patience);
  static Result<std::unique_ptr<OpenChain>> create(const ChainPorts& ports, const Chain& chain);

  Chain& chain() { return chain_; }
  Ledger& ledger() { return *ledger_; }
  const Lease& lease() const { return lease_; }
  Cluster& cluster();

  // Looks, acts, and looks again where another process left word meanwhile.
  Result<Progress> step();
  Result<Progress> cancel();
  // Finishes or undoes a routed submission whose process is gone.
  Result<Progress> tidy();
  // Moves waiting tasks by another job, as one step of the chain.
  Result<Progress> move(std::span<const ChainMove> moves);
  // Whether the chain should be looked at again soon: tasks wait that could go elsewhere.
  bool may_find_room() const;
  Result<void> record(ChainEvent event);
  // On Slurm handler jobs are submitted; here the daemon goes on. Without either somebody has to
  // type `sluice resume`.
  void attend(std::optional<RemoteJob> self = std::nullopt);
  // Shares out what is handed in from now on; else the pools are looked at, where the terms say so.
  void use_spread(Spread spread);
  // From now on this database is told of the chain too (ledger/record.h).
  Result<void> tell(const std::string& database) const;
  Result<ChainView> view();

 private:
  OpenChain(const ChainPorts& ports, Lease lease, std::unique_ptr<Ledger> ledger)
      : ports_(ports),
        lease_(std::move(lease)),
        ledger_(std::move(ledger)),
        chain_(ledger_->chain()) {}
  Advance& advance();
  Spread spread_over_pools();
  // Moves tasks that are stuck, now and then.
  void rebalance(Progress& progress);
  void write_database(Progress& progress) const;
  // Says what came of a step to those who want to know; `before` is the chain before it.
  void notify(const Audit& before, bool was_over, Progress& progress);

  ChainPorts ports_;
  Lease lease_;
  std::unique_ptr<Ledger> ledger_;
  Chain chain_;
  std::unique_ptr<Cluster> cluster_;
  Attendance attendance_;
  Spread spread_;
  std::unique_ptr<Advance> advance_;  // Keeps its successor between steps.
};

// Sites forbid asking Slurm often; our own daemon may be asked.
Duration pause_between_looks(const std::string& engine);

}  // namespace sluice
