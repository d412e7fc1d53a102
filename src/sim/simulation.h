// A workload run under a policy to the end, and what became of every job.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "sim/reports/observer.h"
#include "sim/workloads/workload.h"

namespace sluice {

// What became of one item of the workload.
struct SimulatedJob {
  Instant start = kNever;    // Of its first run.
  Instant end = kNever;      // Of its last.
  std::int64_t cpu_ms = 0;   // CPUs times the time it held them running, all runs together.
  std::int64_t gpu_ms = 0;   // The same for GPUs.
  std::int64_t lost_ms = 0;  // Of the CPU time, in runs that were preempted and had to begin again.
  std::int32_t cpus = 0;     // Of its last run.
  std::int32_t gpus = 0;
  std::uint32_t preemptions = 0;
  JobState state = JobState::kPending;
  bool refused = false;

  static constexpr Instant kNever = Instant::max();
  bool started() const { return start != kNever; }
  bool ended() const { return end != kNever && has_ended(state); }
};

struct Simulation {
  std::vector<SimulatedJob> jobs;  // As the workload's items.
  std::uint64_t events = 0;
  std::uint64_t turns = 0;
  std::size_t most_pending = 0;
  std::size_t most_live = 0;  // Jobs remembered at once.
  Instant first_submit;
  Instant last_end;  // Where it was stopped early: when that was.
  std::string first_refusal;
  std::size_t first_refused = 0;  // The item it was about.
  std::string first_left_reason;  // Slurm's word for why the first that never ended waits.
  std::size_t first_left = 0;     // That item.
  bool stopped_early = false;     // Before everything had ended,
  bool reached_until = false;     // because that was the time to stop at.
  std::size_t submitted = 0;      // Items, all of them unless it was stopped early.
  // What sbatch would have printed, and Slurm's word for the limit, with how many were told so.
  std::map<std::string, std::size_t> refusals;
  // Jobs that started while one that was submitted earlier still waited.
  std::size_t overtakes = 0;
  std::size_t starts = 0;      // Of runs, those that began again included,
  std::size_t backfilled = 0;  // and those of them that backfill began.
  // The rest only where SimulationOptions::observe asks for it.
  Timeline timeline;
  WaitCausesFound wait_causes;
  std::vector<std::uint32_t> timeline_accounts;  // Of the workload, as Timeline::account_cpus,
  std::vector<std::uint32_t> timeline_users;     // and as Timeline::user_cpus.
  std::vector<RunBar> bars;                      // Of the first runs.
};

struct SimulationCheckpoint;

struct SimulationProgress {
  std::size_t items = 0;
  std::size_t submitted = 0;
  std::size_t ended = 0;
};

// The present of a simulation that is watched.
struct SimulationMoment {
  Instant now;
  std::size_t pending = 0;
  std::size_t running = 0;
};

struct SimulationOptions {
  // Told of the events of every turn, before its orders are carried out.
  std::function<Result<void>(std::span<const Event>)> commit;
  // Told now and then how far it is; where the answer is false, the simulation ends there.
  std::function<bool(const SimulationProgress&)> go_on;
  // Told of every instant at which something happened, before the next; false: it ends there.
  std::function<bool(const SimulationMoment&)> on_instant;
  // Nothing that comes later happens.
  std::optional<Instant> until;
  // Also what happened over time.
  bool observe = false;
  // Given where it stands whenever keeps() says so, and when it stops early.
  std::function<Result<void>(const SimulationCheckpoint&)> keep;
  std::function<bool()> keeps;
  // Goes on from there: with the same workload, and from then on under another policy where
  // `resume_under` is set.
  const SimulationCheckpoint* resume = nullptr;
  std::shared_ptr<const Policy> resume_under;
  Passes passes = Passes::kQuick;
};

Result<Simulation> simulate(std::shared_ptr<const Policy> policy, const Workload& workload,
                            const SimulationOptions& options = {});

// "fifo", "easy", "conservative" or "backfill".
SchedulerType machine_scheduler(std::string_view name);
// One node with the trace's CPUs, everybody welcome, nothing limited.
Policy machine_of(const Workload& workload, SchedulerType scheduler);

}  // namespace sluice
