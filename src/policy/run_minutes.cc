// One walk over the running jobs fills all books.
#include "policy/run_minutes.h"

namespace sluice {

WholeRuns whole_runs(const State& state) {
  const Policy& policy = state.policy();
  WholeRuns out{std::vector<TresVector>(policy.associations.size()),
                std::vector<TresVector>(policy.qos.size())};
  state.for_each_job([&](const Job& job) {
    if (!holds_nodes(job.state) || job.run == 0) return;
    const Shape& shape = state.shape_of_job(job);
    if (!shape.counted) return;
    const Run& run = state.run_of(job);
    const auto add = [&](TresVector& book) {
      for (std::uint8_t i = 0; i < kMaxTres; ++i)
        book[TresIndex(i)] += run.tres[TresIndex(i)] * to_seconds(job.limit);
    };
    for (std::optional<AssocId> a = shape.assoc; a; a = policy.associations[a->index()].parent)
      add(out.associations[a->index()]);
    const QosPair pair = qos_in_order(policy, run.partition, shape.qos);
    if (pair.first) add(out.qos[pair.first->index()]);
    if (pair.second && pair.second != pair.first) add(out.qos[pair.second->index()]);
  });
  return out;
}

}  // namespace sluice
