// One walk over the running jobs fills all books.
#include "policy/run_minutes.h"

#include "limits/walk.h"

namespace sluice {

WholeRuns whole_runs(const State& state) {
  const Policy& policy = state.policy();
  WholeRuns out{std::vector<TresVector>(policy.associations.size()),
                std::vector<TresVector>(policy.qos.size())};
  for_each_run(state, [&](const Job& job, const Run& run) {
    const std::int64_t factor = usage_factor_of(policy, state.shape_of_job(job).qos);
    const auto add = [&](TresVector& book) {
      for (std::uint8_t i = 0; i < kMaxTres; ++i)
        book[TresIndex(i)] +=
            scaled_by_millionths(run.tres[TresIndex(i)] * to_seconds(job.limit), factor);
    };
    for_each_book_of(
        state, job, run, [&](AssocId id) { add(out.associations[id.index()]); },
        [&](QosId id) { add(out.qos[id.index()]); });
  });
  return out;
}

}  // namespace sluice
