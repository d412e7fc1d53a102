// What is taken on one node now.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.h"
#include "model/node.h"

namespace sluice {

struct NodeUse {
  std::int32_t cpus = 0;            // All it has.
  std::int32_t cpus_taken = 0;      // By jobs that run, in layer 0.
  std::int32_t cpus_suspended = 0;  // Kept for jobs that made room for others.
  std::int64_t memory = 0;
  std::int64_t memory_taken = 0;  // By suspended jobs too.
  std::uint64_t gpus = 0;         // One bit each.
  std::uint64_t gpus_taken = 0;   // By suspended jobs too.
  std::int32_t jobs = 0;          // Jobs that hold something here.
  std::int32_t exclusive = 0;     // Of these, jobs that want the node for themselves.
  NodeState state = NodeState::kUp;
  // CPUs taken in the layers of an oversubscribed node; empty where nothing is shared.
  std::vector<std::int32_t> layers;
  friend bool operator==(const NodeUse&, const NodeUse&) = default;
};

}  // namespace sluice
