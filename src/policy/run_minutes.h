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

// UsageFactor of the job's own QoS, which its run minutes are multiplied by.
inline std::int64_t usage_factor_of(const Policy& policy, const std::optional<QosId>& qos) {
  return qos ? policy.qos[qos->index()].usage_factor_millionths : 1'000'000;
}

// Adds up numbers times millionths, and rounds down once.
class FactoredSum {
 public:
  void add(std::int64_t number, std::int64_t millionths) {
    whole_ += number / kMillion * millionths;
    rest_ += number % kMillion * millionths;
  }
  std::int64_t value() const { return whole_ + rest_ / kMillion - (rest_ % kMillion < 0 ? 1 : 0); }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  std::int64_t whole_ = 0;
  std::int64_t rest_ = 0;
};

// What the running jobs of a book may still use until their limits, in seconds times what they
// hold, as limits on run minutes count it. `now` in seconds since the state's origin.
inline FactoredSum run_seconds(const Policy& policy, const Holding& book, TresIndex tres,
                               std::int64_t now) {
  constexpr std::int64_t kOnce = 1'000'000;
  FactoredSum left;
  left.add(book.tres_end[tres] - book.tres[tres] * now, kOnce);
  for (const FactoredRuns& runs : book.factored)
    left.add(runs.tres_end[tres] - runs.tres[tres] * now,
             usage_factor_of(policy, runs.qos) - kOnce);
  return left;
}

// The time limits of the running jobs of each association and QoS, in seconds times what they hold,
// whatever has passed of them: with priority/basic slurmctld never takes off what has been run.
struct WholeRuns {
  std::vector<TresVector> associations;
  std::vector<TresVector> qos;
};
WholeRuns whole_runs(const State& state);

}  // namespace sluice
