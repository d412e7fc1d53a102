// A job's place in the queue as one number, with its parts.
#pragma once

#include <cstdint>

#include "policy/fairshare.h"
#include "state/state.h"

namespace sluice {

// The weighted parts as sprio prints them, before they are added.
struct PriorityParts {
  double age = 0;
  double assoc = 0;
  double fairshare = 0;
  double job_size = 0;
  double partition = 0;
  double qos = 0;
  double tres = 0;
  std::int64_t nice = 0;
  std::int64_t total = 0;
};

// What does not depend on the job, found once per calculation: the highest QoS priority,
// partition factor and association priority, the cluster's CPUs and TRES.
struct PriorityContext {
  double max_qos_priority = 0;
  double max_partition_factor = 0;
  double max_assoc_priority = 0;
  std::int64_t cluster_cpus = 0;
  std::int64_t cluster_nodes = 0;
  TresVector cluster_tres;
};
PriorityContext priority_context(const State& state);

PriorityParts priority_of(const State& state, const PriorityContext& context,
                          const Fairshare& fairshare, const Job& job, PartitionId partition,
                          Instant now);

}  // namespace sluice
