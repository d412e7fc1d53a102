// A workload run under a policy to the end, and what became of every job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "sim/workload.h"

namespace sluice {

// What became of one item of the workload; times are of its last run.
struct SimulatedJob {
  std::optional<Instant> start;
  std::optional<Instant> end;
  JobState state = JobState::kPending;
  bool refused = false;
  std::uint32_t preemptions = 0;
};

struct Simulation {
  std::vector<SimulatedJob> jobs;  // As the workload's items.
  std::uint64_t events = 0;
  std::uint64_t turns = 0;
  std::size_t most_pending = 0;
  std::size_t most_live = 0;  // Jobs remembered at once.
  Instant first_submit;
  Instant last_end;
  std::string first_refusal;
};

struct SimulationOptions {
  // Told of the events of every turn, before its orders are carried out.
  std::function<Result<void>(std::span<const Event>)> commit;
};

Result<Simulation> simulate(std::shared_ptr<const Policy> policy, const Workload& workload,
                            const SimulationOptions& options = {});

// One node with the trace's CPUs, everybody welcome, nothing limited.
Policy machine_of(const Workload& workload, SchedulerType scheduler);

}  // namespace sluice
