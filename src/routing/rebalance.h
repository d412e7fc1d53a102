// Waiting tasks that their pool cannot take, and pools that could: who moves where.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"
#include "cluster/description.h"
#include "cluster/waiting_tasks.h"
#include "model/index_set.h"
#include "model/job_change.h"
#include "routing/pool.h"
#include "routing/settings.h"

namespace sluice {

enum class Stay : std::uint8_t {
  kMoves,
  kOtherReason,  // Waits for something else than a limit: its turn, nodes, a dependency.
  kNotYet,       // Has not waited long enough.
  kHasRoom,      // Its pool has room: Slurm will start it.
  kNowhere,      // No other pool has room.
};

struct Move {
  std::size_t waiting = 0;  // Which of them.
  std::optional<IndexSet> tasks;
  std::string account;
  std::string qos;
  std::vector<std::string> partitions;
  std::string pool;  // "maigan/gpu"
};

struct Rebalance {
  std::vector<Move> moves;
  std::vector<Stay> verdicts;  // Of every waiting group: kMoves also where only some move.
};

// The change of its tasks that makes the move.
JobChange change_for(const Move& move, const WaitingTasks& from);
// Carries it out in one change of waiting tasks: what has started meanwhile refuses it, so nothing
// runs twice.
Result<std::variant<Changed, Refusal>> move_in_place(Cluster& cluster, const Move& move,
                                                     const WaitingTasks& from);

Rebalance plan_rebalance(const Description& description, const RoutingSettings& settings,
                         std::span<const WaitingTasks> waiting, Instant now);

}  // namespace sluice
