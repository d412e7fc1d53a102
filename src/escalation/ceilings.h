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
  // Why the job can never run here, however little memory and time it asks for; empty: it can.
  std::string never = {};
  friend bool operator==(const PartitionCeiling&, const PartitionCeiling&) = default;
};

// Empty partitions: nothing is known, and nothing is refused beforehand.
struct Ceilings {
  std::vector<PartitionCeiling> partitions;
  std::string default_partition;

  const PartitionCeiling* find(const std::string& name) const;
};

// By the walk over limits with nothing in use: what stops a job then stops it for ever.
Ceilings ceilings_of(const Description& description, const JobSpec& spec);
// Where the job may run in any of these accounts, in that of the job where none is named: in each
// partition the most that one of them allows. Here the job's partitions say `never` too.
Ceilings ceilings_of(const Description& description, const JobSpec& spec,
                     const std::vector<std::string>& accounts);

// How many more tasks the user may hand in now; nothing where no limit is known.
std::optional<std::int64_t> submit_room(const Description& description, const JobSpec& spec);

}  // namespace sluice
