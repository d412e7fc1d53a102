#include "studies/compared_run.h"

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "cli/progress_line.h"
#include "policyfile/plan/differences.h"
#include "sim/simulation.h"
#include "sim/workloads/names_in_force.h"

namespace sluice {
namespace {

struct Ran {
  Simulation simulation;
  SimulationReport report;
};

Result<Ran> run_under(const NamedPolicy& under, const Workload& workload,
                      std::atomic<std::size_t>& ended, const std::atomic<bool>& stop) {
  SimulationOptions options;
  options.observe = true;
  std::size_t before = 0;
  options.go_on = [&](const SimulationProgress& so_far) {
    ended += so_far.ended - before;
    before = so_far.ended;
    return !stop;
  };
  Ran out;
  TRY(out.simulation, simulate(under.policy, workload, options));
  if (out.simulation.stopped_early) return failed("stopped before both policies were tried");
  out.report = make_report(workload, out.simulation, under.policy);
  out.report.rules = under.name;
  return out;
}

struct Both {
  Result<Ran> before;
  Result<Ran> after;
};

// Neither knows of the other.
Both run_both(const NamedPolicy& before, const NamedPolicy& after, const Workload& workload) {
  std::atomic<std::size_t> ended{0};
  std::atomic<bool> stop{false};
  const auto start = [&](const NamedPolicy& under) {
    return std::async(std::launch::async, [&] { return run_under(under, workload, ended, stop); });
  };
  auto first = start(before);
  auto second = start(after);
  ProgressLine progress;
  for (auto* each : {&first, &second})
    while (each->wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
      if (!progress.show(ended, 2 * workload.items.size())) stop = true;
  progress.clear();
  return {first.get(), second.get()};
}

}  // namespace

Result<ComparedRun> compare_runs(const LoadedWorkload& loaded, const NamedPolicy& before,
                                 const NamedPolicy& after, std::uint64_t seed) {
  Both both = run_both(before, after, loaded.workload);
  TRY(Ran a, std::move(both.before));
  TRY(Ran b, std::move(both.after));
  for (Ran* each : {&a, &b}) {
    each->report.unexercised = loaded.unexercised;
    each->report.people = loaded.people;
  }
  ComparedRun out;
  out.comparison =
      compare_policies(loaded.workload, {&a.simulation, &a.report}, {&b.simulation, &b.report},
                       policy_differences(*before.policy, *after.policy),
                       names_in_force(*before.policy, loaded.workload), seed);
  out.before = std::move(a.report);
  out.after = std::move(b.report);
  return out;
}

}  // namespace sluice
