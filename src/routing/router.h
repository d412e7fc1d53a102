// Which pool each task should use, and why each other pool is not used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/index_set.h"
#include "routing/pool.h"

namespace sluice {

struct RouteRequest {
  std::int64_t tasks = 1;
  bool array = false;  // One job is no array of one.
  std::optional<Device> device;
  // Known run times: then the earliest finish decides, and not the numbers of slots.
  std::optional<Duration> gpu_runtime;
  std::optional<Duration> cpu_runtime;
  bool keep_back = false;  // Only as many as can start now.
};

enum class RouteMode : std::uint8_t {
  kSingle,  // The pool with the most free of what counts.
  kSlots,   // In proportion to the slots that are free now.
  kFinish,  // Whatever finishes first.
};

enum class PoolVerdict : std::uint8_t {
  kUsed,
  kBlocked,
  kBurst,
  kNoPartition,
  kOtherDevice,  // Not the device that was asked for.
  kNever,        // One task breaks a limit by itself, or may not run there.
  kFull,
  kSubmitLimit,  // No more may be submitted.
  kSlower,       // Everything is finished before a task would be, there.
  kOthersFirst,  // Others have more room, and they suffice.
};

struct PoolShare {
  std::size_t pool = 0;
  std::int64_t tasks = 0;
};

struct Route {
  RouteMode mode = RouteMode::kSlots;
  std::vector<PoolShare> shares;       // In the order of the pools; none of zero.
  std::vector<PoolVerdict> verdicts;   // Of every pool.
  std::int64_t kept_back = 0;          // Wait until a pool has room.
  std::int64_t unplaced = 0;           // More than may be submitted anywhere.
  bool full = false;                   // No pool has room for one task.
  std::optional<Duration> finish;      // Of the last task, where run times are known.
  std::optional<Duration> gpu_finish;  // The same on GPUs alone.
};

Route route(std::span<const Pool> pools, const RouteRequest& request);

// In proportion to the weights, to the last one: the largest remainders first, then the larger
// weights, then the order given.
std::vector<std::int64_t> in_proportion(std::int64_t tasks,
                                        const std::vector<std::int64_t>& weights);

// The tasks of each share, in order.
std::vector<IndexSet> tasks_of_shares(const IndexSet& tasks, const Route& route);

// How long tasks of one run time take on so many slots.
Duration finish_on(std::int64_t tasks, std::int64_t slots, Duration runtime);

}  // namespace sluice
