// What running jobs count in limits on run minutes.
#pragma once

#include <optional>
#include <vector>

#include "state/state.h"

namespace sluice {

// The books in which a running job counts: of its association and all above it, and of its QoS and
// its partition's.
template <class OnAssociation, class OnQos>
void for_each_book_of(const State& state, const Job& job, const Run& run,
                      OnAssociation on_association, OnQos on_qos) {
  const Policy& policy = state.policy();
  const Shape& shape = state.shape_of_job(job);
  if (!shape.counted) return;
  for (std::optional<AssocId> a = shape.assoc; a; a = policy.associations[a->index()].parent)
    on_association(*a);
  const QosPair pair = qos_in_order(policy, run.partition, shape.qos);
  if (pair.first) on_qos(*pair.first);
  if (pair.second && pair.second != pair.first) on_qos(*pair.second);
}

// Every job that holds what it runs on, with its run.
template <class Visit>
void for_each_run(const State& state, Visit visit) {
  state.for_each_job([&](const Job& job) {
    if (holds_nodes(job.state) && job.run != 0) visit(job, state.run_of(job));
  });
}

// The time limits of the running jobs of each association and QoS, in seconds times what they hold,
// whatever has passed of them: with priority/basic slurmctld never takes off what has been run.
struct WholeRuns {
  std::vector<TresVector> associations;
  std::vector<TresVector> qos;
};
WholeRuns whole_runs(const State& state);

}  // namespace sluice
