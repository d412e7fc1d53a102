// Which QoS preempts which: cycles, modes that Slurm refuses, links without effect.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policyfile/check/check.h"

namespace sluice {
namespace {

// The names on a way from `start` back to itself, or nothing.
std::vector<std::string> cycle_from(const Policy& policy, QosId start) {
  std::vector<std::pair<QosId, std::size_t>> way = {{start, 0}};
  std::set<QosId> seen;
  while (!way.empty()) {
    auto& [at, next] = way.back();
    const std::vector<QosId>& below = policy.qos[at.index()].preempt;
    if (next == below.size()) {
      way.pop_back();
      continue;
    }
    const QosId to = below[next++];
    if (to == start) {
      std::vector<std::string> names;
      for (auto& [id, unused] : way) names.push_back(policy.qos[id.index()].name);
      names.push_back(policy.qos[start.index()].name);
      return names;
    }
    if (seen.insert(to).second) way.emplace_back(to, 0);
  }
  return {};
}

void check_cycles(Checks& checks) {
  const Policy& policy = checks.policy;
  std::set<std::set<std::string>> reported;
  for (std::size_t i = 0; i < policy.qos.size(); ++i) {
    const auto cycle = cycle_from(policy, QosId(static_cast<QosId::rep>(i)));
    if (cycle.empty() || !reported.insert({cycle.begin(), cycle.end()}).second) continue;
    checks.add(
        Severity::kError, "preempt-cycle", "qos." + policy.qos[i].name + ".Preempt",
        fmt::format("preempts in a circle: {}", fmt::join(cycle, " → ")),
        fmt::format("remove '{}' from Preempt of '{}'", cycle.back(), cycle[cycle.size() - 2]));
  }
}

void check_links(Checks& checks) {
  const Policy& policy = checks.policy;
  bool links = false;
  for (const Qos& qos : policy.qos) {
    links = links || !qos.preempt.empty();
    for (QosId id : qos.preempt) {
      const Qos& victim = policy.qos[id.index()];
      if (policy.priority.weight_qos > 0 && victim.priority > qos.priority)
        checks.add(Severity::kWarning, "preempts-upward", "qos." + qos.name + ".Preempt",
                   fmt::format("'{}' (Priority {}) preempts '{}' (Priority {}), which then "
                               "stands before it in the queue",
                               qos.name, qos.priority, victim.name, victim.priority),
                   fmt::format("Priority: {}     # of '{}'", victim.priority + 1, qos.name));
    }
  }
  if (links && policy.preemption.type != PreemptType::kQos)
    checks.add(Severity::kWarning, "preempt-without-type", "preemption.type",
               "QoS name the QoS they may preempt, but preemption is not by QoS: no job is",
               "preemption:\n  type: qos\n  mode: requeue");
  if (!links && policy.preemption.type == PreemptType::kQos)
    checks.add(Severity::kWarning, "preempt-without-links", "preemption.type",
               "preemption is by QoS, but no QoS names one that it may preempt",
               "Preempt: [batch]     # at the QoS that comes first");
  if (policy.preemption.type == PreemptType::kPartitionPriority) {
    std::set<std::int32_t> tiers;
    for (const Partition& partition : policy.partitions) tiers.insert(partition.priority_tier);
    if (tiers.size() < 2)
      checks.add(Severity::kWarning, "preempt-without-tiers", "preemption.type",
                 "preemption is by partition, but all partitions have the same priority_tier",
                 "priority_tier: 10     # at the partition that comes first");
  }
}

void check_suspend(Checks& checks, PreemptMode mode, const std::string& field) {
  if (mode != PreemptMode::kSuspend) return;
  const Policy& policy = checks.policy;
  if (!policy.preemption.gang)
    checks.add(Severity::kError, "suspend-without-gang", field,
               "without gang scheduling a suspended job never resumes, and slurmctld refuses this",
               "preemption:\n  gang: yes");
  if (!policy.jobs.memory_is_consumable)
    checks.add(Severity::kWarning, "memory-not-counted", "jobs.memory_is_consumable",
               "a suspended job keeps its memory, which is not counted: the job that took its "
               "place may take more than is left",
               "jobs:\n  memory_is_consumable: yes");
  const bool gpus = std::any_of(policy.nodes.begin(), policy.nodes.end(),
                                [](const Node& node) { return !node.gpus.empty(); });
  if (gpus)
    checks.add(Severity::kWarning, "suspend-keeps-gpus", field,
               "a suspended job keeps its GPUs: a job that needs GPUs gains nothing by it",
               "mode: requeue");
}

void check_modes(Checks& checks) {
  const Policy& policy = checks.policy;
  const PreemptSettings& preemption = policy.preemption;
  if (preemption.type == PreemptType::kNone && preemption.mode != PreemptMode::kOff)
    checks.add(Severity::kWarning, "mode-without-type", "preemption.mode",
               "a mode is given, but no QoS may preempt another",
               "type: qos     # or partition_prio");
  if (preemption.type == PreemptType::kNone) return;
  if (preemption.mode == PreemptMode::kOff)
    checks.add(Severity::kError, "type-without-mode", "preemption.mode",
               "preemption has a type but no mode: slurmctld refuses it", "mode: requeue");
  check_suspend(checks, preemption.mode, "preemption.mode");
  if (preemption.type == PreemptType::kQos)
    for (const Qos& qos : policy.qos)
      if (qos.preempt_mode && qos.preempt_mode != preemption.mode)
        check_suspend(checks, *qos.preempt_mode, "qos." + qos.name + ".PreemptMode");
  if (preemption.type == PreemptType::kPartitionPriority)
    for (const Partition& partition : policy.partitions)
      if (partition.preempt_mode && partition.preempt_mode != preemption.mode)
        check_suspend(checks, *partition.preempt_mode,
                      "partitions." + partition.name + ".preempt_mode");
  if (preemption.mode == PreemptMode::kRequeue && !policy.jobs.requeue)
    checks.add(Severity::kWarning, "requeue-cancels", "jobs.requeue",
               "jobs may not be requeued unless they ask for it: being preempted cancels them",
               "jobs:\n  requeue: yes");
  if (policy.scheduler.type == SchedulerType::kBuiltin)
    checks.add(Severity::kNote, "preempt-in-order", "scheduler.type",
               "without backfill only the first job of the queue preempts others",
               "scheduler:\n  type: backfill");
}

// sacctmgr and slurm.conf count GraceTime in seconds.
void check_grace(Checks& checks) {
  for (const std::string& field : checks.bare_durations()) {
    const std::string key = field.substr(field.rfind('.') + 1);
    if (key != "GraceTime" && key != "grace_time") continue;
    checks.add(Severity::kWarning, "grace-without-unit", field,
               "a number without a unit counts minutes here, but seconds in Slurm",
               fmt::format("{}: 15s     # or 15m, as it is meant", key));
  }
}

}  // namespace

void check_preemption(Checks& checks) {
  check_grace(checks);
  check_cycles(checks);
  check_links(checks);
  check_modes(checks);
}

}  // namespace sluice
