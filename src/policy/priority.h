// A job's place in the queue as one number, with its parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
  std::int64_t total = 0;  // 1 to 4294967295; 0 for a job that is held.
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
  // Weighted parts by id.
  std::vector<double> partition_part;
  std::vector<double> qos_part;
  std::vector<double> assoc_part;
  // What a TRES weight is multiplied by for each unit asked for, by partition; in the order of
  // the TRES, as Slurm adds them.
  struct TresFactor {
    TresIndex tres;
    double weight = 0;
    double total = 1;
  };
  std::vector<std::vector<TresFactor>> tres_factors;
};
PriorityContext priority_context(const State& state);

PriorityParts priority_of(const State& state, const PriorityContext& context,
                          const Fairshare& fairshare, const Job& job, PartitionId partition,
                          Instant now);

// Everything but the age: the same for all waiting jobs of one request in one partition. A line of
// memory, because with many requests that is what calculating them costs.
struct alignas(64) PriorityTerms {
  double assoc = 0;
  double fairshare = 0;
  double job_size = 0;
  double partition = 0;
  double qos = 0;
  double tres = 0;
  double nice = 0;             // Or, where it is fixed, what an administrator set.
  std::uint32_t row = kNoRow;  // Of fairshare.
  bool fixed = false;
  bool several_partitions = false;

  static constexpr std::uint32_t kNoRow = 0xffffffff;
};

// What a waiting job's priority is made of; its fairshare is filled in by the other, which gives
// the total. `since`: when its age began.
PriorityTerms priority_terms(const State& state, const PriorityContext& context, const Shape& shape,
                             PartitionId partition);
std::int64_t priority_total(const PrioritySettings& settings, const Fairshare& fairshare,
                            PriorityTerms terms, Instant since, Instant now);

}  // namespace sluice
