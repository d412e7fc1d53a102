// How much memory and time one task can get on a cluster, partition by partition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "model/job.h"

namespace sluice {

struct PartitionCeiling {
  std::string name;
  std::int64_t memory_mb = 0;    // Of its largest node, or what the partition allows on it.
  std::optional<Duration> time;  // Nothing: no end.
  // Whose limit it is, where it is less than the node or the partition has: "GrpTRES of QoS x".
  std::string memory_limit;
  std::string time_limit;
  friend bool operator==(const PartitionCeiling&, const PartitionCeiling&) = default;
};

// Empty partitions: nothing is known, and nothing is refused beforehand.
struct Ceilings {
  std::vector<PartitionCeiling> partitions;
  std::string default_partition;
  // What binds the job in every partition.
  std::optional<std::int64_t> memory_mb;
  std::optional<Duration> time;
  std::string holder;  // "QoS normal": whose limits these are.

  const PartitionCeiling* find(const std::string& name) const;
};

// By the walk over limits with nothing in use: what stops a job then stops it for ever.
Ceilings ceilings_of(const Description& description, const JobSpec& spec);

// How many more tasks the user may hand in now; nothing where no limit is known.
std::optional<std::int64_t> submit_room(const Description& description, const JobSpec& spec);

}  // namespace sluice
