// A node as the policy declares it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

// One GPU: its type ("" where the policy names none) and its device file ("" where unknown).
struct Gpu {
  std::string type;
  std::string device;
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

// A node holds at most this many GPUs: an allocation names them by one bit each.
inline constexpr std::size_t kMaxGpusPerNode = 64;

struct Node {
  std::string name;
  std::int32_t cpus = 1;
  std::int32_t sockets = 1;
  std::int32_t threads_per_core = 1;
  std::int64_t memory_mb = 1;
  std::vector<Gpu> gpus;
  std::vector<std::string> features;
  std::int32_t weight = 1;
  friend bool operator==(const Node&, const Node&) = default;
};

enum class NodeState : std::uint8_t { kUp, kDraining, kDown };

}  // namespace sluice
