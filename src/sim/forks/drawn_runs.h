// How long jobs run in one of several runs ahead: drawn from what was learnt. The same job draws
// the same whenever it is asked about.
#pragma once

#include <cstdint>
#include <map>

#include "sim/forks/learnt_run_times.h"
#include "sim/workloads/splitmix.h"
#include "state/state.h"

namespace sluice {

class DrawnRuns {
 public:
  // Every number is another run ahead; `now` is when all of them begin.
  DrawnRuns(const LearntRunTimes& learnt, Instant now, std::uint64_t number)
      : learnt_(learnt), now_(now), number_(number) {}

  Duration of(const State& state, const Job& job) { return of(state, job, job.id.value()); }
  // For jobs that have another number in every run ahead: `as` tells them apart.
  Duration of(const State& state, const Job& job, std::uint64_t as) {
    auto found = choices_.find(job.spec);
    if (found == choices_.end()) {
      const JobSpec& request = *state.shape_of_job(job).request;
      found = choices_.emplace(job.spec, learnt_.of(request.user, request.name, job.limit)).first;
    }
    const Duration so_far = now_ > state.run_of(job).started && job.attempt > 0
                                ? now_ - state.run_of(job).started
                                : Duration(0);
    return found->second.pick(so_far, splitmix(splitmix(number_) ^ as * 0x9e3779b97f4a7c15U));
  }

 private:
  const LearntRunTimes& learnt_;
  Instant now_;
  std::uint64_t number_;
  std::map<SpecId, LearntRunTimes::Choice> choices_;
};

}  // namespace sluice
