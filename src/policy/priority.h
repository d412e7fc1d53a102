// A job's place in the queue as one number, with its parts.
#pragma once

#include <algorithm>
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

// What a waiting job's priority is made of, without age and fairshare.
PriorityTerms priority_terms(const State& state, const PriorityContext& context, const Shape& shape,
                             PartitionId partition);
void fill_fairshare(const PrioritySettings& settings, const Fairshare& fairshare,
                    PriorityTerms& terms);

// How much a job's age gives at one moment. Whole seconds, as slurmctld's clock has them.
class AgeScale {
 public:
  AgeScale(const PrioritySettings& settings, Instant now)
      : now_(to_seconds(now)),
        max_age_(to_seconds(settings.max_age)),
        weight_(static_cast<double>(settings.weight_age)) {}

  double part(std::int64_t since) const {
    if (weight_ == 0) return 0;
    const std::int64_t age = std::max<std::int64_t>(0, now_ - since);
    const double factor =
        age < max_age_ ? static_cast<double>(age) / static_cast<double>(max_age_) : 1.0;
    return factor * weight_;
  }

 private:
  std::int64_t now_;
  std::int64_t max_age_;
  double weight_;
};

// priority/basic: the fewer jobs came before, the more. The tasks of an array count as one.
double basic_part(const Policy& policy, JobId number);

// Slurm keeps priorities in 32 bits.
inline constexpr std::int64_t kMaxPriority = 0xffffffff;

// `first`: what age gives, or priority/basic. Inline, because a long queue has it done a million
// times at once.
inline std::int64_t priority_total(const PriorityTerms& terms, double first) {
  if (terms.fixed) return static_cast<std::int64_t>(terms.nice);
  double sum = 0;
  if (terms.several_partitions) {
    // slurmctld adds a job's common part first where it asks for several partitions.
    sum = terms.partition + (first + terms.assoc + terms.fairshare + terms.job_size + terms.qos +
                             terms.tres - terms.nice);
  } else {
    sum = first + terms.assoc + terms.fairshare + terms.job_size + terms.partition + terms.qos +
          terms.tres - terms.nice;
  }
  if (!(sum >= 1)) return 1;
  if (sum >= static_cast<double>(kMaxPriority)) return kMaxPriority;
  return static_cast<std::int64_t>(sum);
}

}  // namespace sluice
