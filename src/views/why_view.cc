#include "views/why_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/gates.h"
#include "text/array_spec.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/memory.h"
#include "views/holders.h"
#include "views/job_line.h"
#include "views/reason_text.h"
#include "views/why_help.h"

namespace sluice {
namespace {

bool has_numbers(const Gate& gate) { return is_limit(gate.reason.rule) || gate.limit != 0; }

std::vector<GateLine> gate_lines(const std::vector<Gate>& gates) {
  std::vector<GateLine> out;
  bool stopped = false;
  for (const Gate& gate : gates) {
    GateLine line{gate.name, gate.holder, gate.passed, !gate.passed && !stopped, "", "", ""};
    stopped |= !gate.passed;
    if (has_numbers(gate)) {
      line.limit = amount_text(gate.reason, gate.limit);
      line.used = amount_text(gate.reason, gate.used);
      line.asked = amount_text(gate.reason, gate.asked);
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::string needs_text(const Shape& shape) {
  std::string out =
      fmt::format("{} CPU{}", shape.asked[kTresCpu], shape.asked[kTresCpu] == 1 ? "" : "s");
  if (shape.asked[kTresMem] > 0) out += ", " + format_memory_mb(shape.asked[kTresMem]);
  if (shape.asked[kTresGpu] > 0)
    out += fmt::format(", {} GPU{}", shape.asked[kTresGpu], shape.asked[kTresGpu] == 1 ? "" : "s");
  if (shape.min_nodes > 1) out += fmt::format(" on {} nodes", shape.min_nodes);
  return out;
}

std::string free_text(const State& state, PartitionId partition, std::int64_t asked_gpus) {
  std::int64_t cpus = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
  std::size_t down = 0;
  const auto& nodes = state.policy().partitions[partition.index()].nodes;
  for (const NodeId node : nodes) {
    const NodeUse& use = state.nodes()[node.index()];
    if (use.state != NodeState::kUp) {
      ++down;
      continue;
    }
    cpus += use.cpus - use.cpus_taken;
    memory += use.memory - use.memory_taken;
    gpus += std::popcount(use.gpus & ~use.gpus_taken);
  }
  std::string out = fmt::format("{} CPU{}, {} memory", cpus, cpus == 1 ? "" : "s",
                                format_memory_mb(memory, MemoryStyle::kRounded));
  if (gpus > 0 || asked_gpus > 0) out += fmt::format(", {} GPU{}", gpus, gpus == 1 ? "" : "s");
  out += fmt::format(" free on {} node{}", nodes.size(), nodes.size() == 1 ? "" : "s");
  if (down > 0) out += fmt::format(" ({} not up)", down);
  return out;
}

std::string sentence(const State& state, const Job& job, const Explanation& why, Instant now,
                     std::int64_t ahead) {
  const Shape& shape = state.shape_of_job(job);
  const Policy& policy = state.policy();
  const Reason& reason = why.reason;
  if (const std::string name = limit_name(policy, reason); !name.empty()) {
    const std::string holder = holder_name(policy, reason);
    return fmt::format("is kept back by {}{}", name, holder.empty() ? "" : " of " + holder);
  }
  switch (reason.rule) {
    case Rule::kResources:
      return shape.partitions.empty()
                 ? "lacks resources"
                 : fmt::format("needs {}; partition {} has {}", needs_text(shape),
                               policy.partitions[shape.partitions.front().index()].name,
                               free_text(state, shape.partitions.front(), shape.asked[kTresGpu]));
    case Rule::kPriority:
      return ahead == 1 ? "waits behind 1 job" : fmt::format("waits behind {} jobs", ahead);
    case Rule::kBeginTime:
      return fmt::format(
          "{} in {}",
          job.attempt > 0 ? "was put back into the queue; its requeue delay ends" : "begins",
          format_friendly_duration(
              seconds(std::max<std::int64_t>(to_seconds(job.begin - now), 0) + 1)));
    case Rule::kDependency:
      return "waits for " + format_dependencies(shape.request->dependencies);
    case Rule::kDependencyNeverSatisfied:
      return "waits for " + format_dependencies(shape.request->dependencies) +
             ", which can never come true";
    case Rule::kHeldByUser:
      return "is held by its owner";
    case Rule::kHeldByAdmin:
      return "is held by an administrator";
    case Rule::kArrayTaskLimit:
      if (const Array* array = state.find_array(job.array); array != nullptr && array->throttle)
        return fmt::format("waits for tasks of its own array: {} run, {} may at once",
                           array->holding, *array->throttle);
      return "waits for tasks of its own array";
    case Rule::kLicenses:
      return "waits for licenses that are in use";
    case Rule::kReservation:
      return fmt::format("waits for its reservation {}, which begins in {}",
                         shape.request->reservation,
                         time_until(instant_at(seconds(reason.limit)), now));
    case Rule::kReservationDeleted:
      return "is held: the reservation that it was to run in is over";
    case Rule::kNodeReserved: {
      const std::string which = reservation_in_the_way(state, reason, now);
      return fmt::format("needs nodes that are reserved for others while it may run{}{}",
                         which.empty() ? "" : ": ", which);
    }
    case Rule::kNodeNotAvailable:
    case Rule::kNodeDown:
      return "needs nodes that are not up";
    default:
      return fmt::format("waits: {}", slurm_word(reason, policy.tres));
  }
}

// As people call it: "12_3" for a task.
std::string job_name(const State& state, JobId id) {
  const Job* job = state.find_job(id);
  return job != nullptr ? job_id_text(state, *job) : std::to_string(id.value());
}

// Live entries before the job's first.
std::int64_t jobs_ahead(const Engine& engine, JobId job) {
  std::int64_t ahead = 0;
  for (const QueueEntry& entry : engine.queue().entries()) {
    if (entry.gone) continue;
    if (entry.job == job) return ahead;
    ++ahead;
  }
  return 0;
}

void explain_waiting(const Engine& engine, const Job& job, Instant now, const Viewer* viewer,
                     WhyCard& card) {
  const State& state = engine.state();
  const Policy& policy = state.policy();
  const Shape& shape = state.shape_of_job(job);
  const Explanation why = engine.explanation(job.id);
  card.reason = slurm_word(why.reason, policy.tres);
  card.priority = engine.queue().priority(job.id);
  card.ahead = jobs_ahead(engine, job.id);
  card.sentence = sentence(state, job, why, now, card.ahead);
  // Of a job that was put back its last run is still known.
  if (job.run != 0 && job.attempt > 0)
    if (const JobId preemptor = state.run_of(job).preemptor; preemptor != JobId{})
      card.sentence += "; it made room for job " + job_name(state, preemptor);
  card.expected = why.expected;
  for (const NodeId node : why.nodes)
    card.planned += (card.planned.empty() ? "" : ",") + policy.nodes[node.index()].name;
  if (is_limit(why.reason.rule)) {
    const std::string unit = unit_text(policy, why.reason);
    card.arithmetic =
        fmt::format("{}{} at most, {} used + {} asked", amount_text(why.reason, why.reason.limit),
                    unit.empty() ? "" : " " + unit, amount_text(why.reason, why.reason.used),
                    amount_text(why.reason, why.reason.asked));
  }
  const Holders holders = holders_of(state, job, why.reason, viewer);
  card.holders = holders.lines;
  card.may_end = holders.first_end;
  if (!shape.partitions.empty())
    card.gates =
        gate_lines(gates_of(state, shape, shape.partitions.front(), job.limit, shape.asked, now));
  const bool shut = std::any_of(card.gates.begin(), card.gates.end(),
                                [](const GateLine& gate) { return gate.binding; });
  // The last gate is the schedule itself.
  if (!shut) card.gates.push_back({card.reason, "schedule", false, true, "", "", ""});
  card.help = help_for(engine, job, why.reason, card.id, now);
}

}  // namespace

WhyCard why_card(const Engine& engine, const Job& job, Instant now,
                 std::optional<std::uint32_t> task, const Viewer* viewer) {
  const State& state = engine.state();
  const JobSpec& request = *state.shape_of_job(job).request;
  WhyCard card;
  card.id = task && job.is_array ? fmt::format("{}_{}", job.array.value(), *task)
            : job.is_array       ? std::to_string(job.array.value())
                                 : job_id_text(state, job);
  card.name = request.name;
  card.user = request.user;
  card.state = job.state;
  if (job.state == JobState::kPending) {
    explain_waiting(engine, job, now, viewer, card);
    return card;
  }
  if (job.run == 0) {
    card.sentence = fmt::format("does not wait: {}", slurm_name(job.state));
    return card;
  }
  const Run& run = state.run_of(job);
  const std::string nodes = nodes_text(state.policy(), run.allocation);
  switch (job.state) {
    case JobState::kRunning:
      card.sentence = fmt::format("does not wait: it runs on {} for {} now", nodes,
                                  format_short_duration(elapsed_of(job, run, now)));
      break;
    case JobState::kSuspended:
      card.sentence = run.suspended_by == SuspendedBy::kUser ? "is suspended by a command"
                      : run.suspended_by == SuspendedBy::kGang
                          ? "takes turns with others on the same CPUs"
                          : "is suspended: it made room for job " + job_name(state, run.preemptor);
      if (run.suspended_by == SuspendedBy::kUser)
        card.help.push_back({"let it run on", "sluice resume " + card.id});
      break;
    case JobState::kCompleting:
      card.sentence = fmt::format("is being ended: {}", slurm_name(run.ending_as));
      break;
    default:
      card.sentence = fmt::format("does not wait: it ended, {}", slurm_name(job.state));
      card.help.push_back({"see how it ended", "sluice job " + card.id});
  }
  return card;
}

}  // namespace sluice
