// The order of checks, and those about nodes, partitions, priority and enforcement.
#include "policyfile/check/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/default_memory.h"
#include "policyfile/read/quantities.h"
#include "text/duration.h"

namespace sluice {
namespace {

bool any_limit(const GroupLimits& g) {
  return !g.tres.empty() || !g.tres_minutes.empty() || !g.tres_run_minutes.empty() || g.jobs ||
         g.submit_jobs || g.wall;
}

bool any_limit(const JobLimits& j) {
  return !j.max_tres.empty() || !j.max_tres_node.empty() || !j.max_tres_minutes.empty() ||
         !j.min_tres.empty() || j.max_wall;
}

bool any_limit(const HolderLimits& h) {
  return !h.max_tres.empty() || !h.max_tres_run_minutes.empty() || h.max_jobs || h.max_submit_jobs;
}

void check_enforce(Checks& checks) {
  const Policy& policy = checks.policy;
  bool qos_limits = false;
  bool assoc_limits = false;
  for (const Qos& qos : policy.qos)
    qos_limits = qos_limits || any_limit(qos.group) || any_limit(qos.job) || any_limit(qos.user) ||
                 any_limit(qos.account);
  bool qos_lists = false;
  for (const Association& a : policy.associations) {
    assoc_limits =
        assoc_limits || any_limit(a.group) || any_limit(a.job) || a.max_jobs || a.max_submit_jobs;
    qos_lists = qos_lists || (a.parent && !a.qos.empty());
  }
  if ((qos_limits || assoc_limits) && !policy.enforce.limits)
    checks.add(Severity::kWarning, "limits-not-enforced", "enforce",
               "limits are written down but not enforced: every job runs as if there were none",
               "enforce: [associations, limits, qos]");
  if (qos_lists && !policy.enforce.qos)
    checks.add(Severity::kWarning, "qos-not-enforced", "enforce",
               "accounts list the QoS they may use, but every user may use any QoS",
               "enforce: [associations, limits, qos]");
}

void check_priority(Checks& checks) {
  const PrioritySettings& p = checks.policy.priority;
  const bool weights = p.weight_age != 0 || p.weight_assoc != 0 || p.weight_fairshare != 0 ||
                       p.weight_job_size != 0 || p.weight_partition != 0 || p.weight_qos != 0 ||
                       !p.weight_tres.empty();
  if (p.type == PriorityType::kBasic && weights)
    checks.add(Severity::kWarning, "weights-unused", "priority.type",
               "weights count for nothing under basic priority", "type: multifactor");
  if (p.type != PriorityType::kMultifactor) return;
  if (!weights)
    checks.add(Severity::kWarning, "no-weights", "priority",
               "multifactor priority without weights gives every job the same priority",
               "weight_age: 1000\nweight_fairshare: 100000\nweight_qos: 10000");
  if (p.half_life == Duration(0) && p.usage_reset == UsageReset::kNone)
    checks.add(Severity::kWarning, "usage-never-fades", "priority.half_life",
               "use neither fades nor is it ever reset: users who computed most last year wait "
               "longest for ever",
               "half_life: 7d");
  else if (p.half_life > Duration(0) && p.half_life < std::chrono::hours(24) &&
           p.weight_fairshare > 0)
    checks.add(Severity::kWarning, "half-life-short", "priority.half_life",
               fmt::format("after {} past use counts half: a week's heavy use is forgiven "
                           "overnight, and shares mean little",
                           format_friendly_duration(p.half_life)),
               "half_life: 7d");
}

// Settings that are read and written for a Slurm, and that sluice's own engine does not follow.
void check_slurm_only(Checks& checks) {
  const auto add = [&](bool is_set, const std::string& path, const char* what) {
    if (is_set)
      checks.add(
          Severity::kWarning, "slurm-only", path,
          fmt::format("only a Slurm made from this file does that; sluice's own engine {}", what),
          "leave it out where no Slurm reads the file");
  };
  const Policy& policy = checks.policy;
  add(policy.priority.usage_reset == UsageReset::kNow, "priority.usage_reset",
      "resets past use once by command only");
  for (const Qos& qos : policy.qos) {
    const std::string path = "qos." + qos.name + ".Flags";
    // Seen on 22.05.8: without a threshold every job waits, QOSUsageThreshold.
    if (qos.flags.enforce_usage_threshold && !qos.usage_threshold_millionths)
      checks.add(Severity::kWarning, "threshold-missing", path,
                 fmt::format("no job of '{}' starts: EnforceUsageThreshold without a "
                             "UsageThreshold holds all of them",
                             qos.name),
                 "UsageThreshold: 0.1     # or no EnforceUsageThreshold");
  }
  // "qos high", "account chem", "user ann of chem".
  for (const auto& [subject, fields] : checks.slurm_only)
    for (const auto& [key, value] : fields) {
      std::string path = key;
      if (subject.starts_with("qos ")) path = "qos." + subject.substr(4) + "." + key;
      if (subject.starts_with("account ")) path = "accounts." + subject.substr(8) + "." + key;
      if (const std::size_t of = subject.find(" of "); subject.starts_with("user "))
        path = fmt::format("accounts.{}.users.{}.{}", subject.substr(of + 4),
                           subject.substr(5, of - 5), key);
      const bool is_set = value != "-1";
      add(is_set && key == "MinPrioThreshold", path, "reserves for jobs of any priority");
    }
}

// Which socket the cores of a job lie on is not known.
void check_cpu_units(Checks& checks) {
  const Policy& policy = checks.policy;
  const auto unit_of = [&](const Partition& partition) {
    return partition.cpu_unit.value_or(policy.scheduler.cpu_unit);
  };
  for (const Partition& socket : policy.partitions)
    for (const Partition& core : policy.partitions) {
      if (unit_of(socket) != CpuUnit::kSocket || unit_of(core) != CpuUnit::kCore) continue;
      const bool meet = std::any_of(socket.nodes.begin(), socket.nodes.end(), [&](NodeId node) {
        return std::find(core.nodes.begin(), core.nodes.end(), node) != core.nodes.end();
      });
      if (!meet) continue;
      checks.add(Severity::kWarning, "cpu-units", "partitions." + socket.name + ".cpu_unit",
                 fmt::format("'{}' gives whole sockets of nodes on which '{}' gives cores: "
                             "sluice's own engine does not know which sockets these cores are on",
                             socket.name, core.name),
                 "give both the same cpu_unit, or nodes of their own");
      return;
    }
}

void check_partition(Checks& checks, const Partition& partition) {
  const std::string path = "partitions." + partition.name;
  if (partition.nodes.empty() && !checks.policy.nodes.empty())
    checks.add(Severity::kWarning, "partition-empty", path,
               fmt::format("partition '{}' has no nodes: its jobs wait for ever", partition.name),
               "nodes: all");
  if (partition.max_time && partition.default_time && *partition.default_time > *partition.max_time)
    checks.add(Severity::kError, "default-time", path + ".default_time",
               fmt::format("a job that asks for no time gets {}, more than max_time {} allows",
                           format_friendly_duration(*partition.default_time),
                           format_friendly_duration(*partition.max_time)),
               fmt::format("default_time: {}", format_friendly_duration(*partition.max_time)));
  if (partition.max_nodes && partition.min_nodes > *partition.max_nodes)
    checks.add(Severity::kError, "node-range", path + ".min_nodes",
               fmt::format("min_nodes {} is above max_nodes {}: no job fits", partition.min_nodes,
                           *partition.max_nodes),
               "remove one of the two");
  if (static_cast<std::size_t>(std::max(partition.min_nodes, 0)) > partition.nodes.size() &&
      !checks.policy.nodes.empty())
    checks.add(Severity::kError, "node-range", path + ".min_nodes",
               fmt::format("min_nodes {} is more than the {} nodes of the partition",
                           partition.min_nodes, partition.nodes.size()),
               fmt::format("min_nodes: {}", partition.nodes.size()));
  const PreemptSettings& preemption = checks.policy.preemption;
  if (partition.oversubscribe == OverSubscribe::kForce && partition.oversubscribe_jobs > 1) {
    if (!preemption.gang)
      checks.add(Severity::kWarning, "force-without-gang", path + ".oversubscribe",
                 fmt::format("up to {} jobs share each CPU at the same time, without taking turns",
                             partition.oversubscribe_jobs),
                 "preemption:\n  gang: yes");
    if (!checks.policy.jobs.memory_is_consumable)
      checks.add(Severity::kWarning, "memory-not-counted", "jobs.memory_is_consumable",
                 fmt::format("jobs of '{}' share CPUs but their memory is not counted: together "
                             "they may take more than the node has",
                             partition.name),
                 "jobs:\n  memory_is_consumable: yes");
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void check_names(Checks& checks) {
  auto check = [&](const char* noun, const std::string& name, const std::string& field) {
    if (name != lower(name))
      checks.add(Severity::kWarning, "upper-case", field,
                 fmt::format("Slurm keeps names of {} in lower case: '{}' becomes '{}'", noun, name,
                             lower(name)),
                 lower(name) + ":");
  };
  for (const Qos& qos : checks.policy.qos) check("QoS", qos.name, "qos." + qos.name);
  for (const Association& a : checks.policy.associations)
    if (a.user.empty()) check("accounts", a.account, "accounts." + a.account);
  for (const User& user : checks.policy.users) check("users", user.name, "users." + user.name);
}

}  // namespace

void Checks::add(Severity severity, std::string rule, const std::string& field, std::string what,
                 std::string fix) {
  std::string where = places_.find(field).text();
  where += (where.empty() ? "" : ": ") + field;
  findings.push_back(
      Finding{severity, std::move(rule), std::move(where), std::move(what), std::move(fix)});
}

// A job that names no memory then gets all of its node, and no second job starts beside it.
void check_default_memory(Checks& checks) {
  const Policy& policy = checks.policy;
  if (!policy.jobs.memory_is_consumable || policy.nodes.empty()) return;
  if (policy.jobs.default_mem_per_cpu_mb || policy.jobs.default_mem_per_node_mb) return;
  for (const Partition& partition : policy.partitions) {
    if (partition.default_mem_per_cpu_mb || partition.default_mem_per_node_mb) continue;
    std::int64_t least = 0;
    std::int64_t least_with_gpu = 0;
    const auto lower = [](std::int64_t& value, std::int64_t each) {
      if (each > 0) value = value == 0 ? each : std::min(value, each);
    };
    for (const NodeId id : partition.nodes) {
      const Node& node = policy.nodes[id.index()];
      // One megabyte is what a node has of which nothing is said.
      if (node.memory_mb <= 1) continue;
      lower(least, memory_per_cpu(node));
      lower(least_with_gpu, memory_per_gpu(node));
    }
    if (least == 0) continue;
    std::string fix = fmt::format("jobs:\n  def_mem_per_cpu: {}M", least);
    if (least_with_gpu > 0) fix += fmt::format("\n  def_mem_per_gpu: {}M", least_with_gpu);
    checks.add(Severity::kWarning, "no-default-memory", "partitions." + partition.name,
               fmt::format("a job in '{}' that names no memory gets all that its node has: no "
                           "other job starts beside it",
                           partition.name),
               std::move(fix));
    return;  // One line mends them all.
  }
}

// slurmctld does not start with more (MaxArraySize in slurm.conf's manual page).
constexpr std::int64_t kMostArraySize = 4'000'001;

void check_cluster(Checks& checks) {
  const Policy& policy = checks.policy;
  if (policy.nodes.empty())
    checks.add(Severity::kWarning, "no-nodes", "nodes",
               "no nodes are named: only the embedded engine can use this policy, on its machine",
               "nodes:\n  - name: n1\n    cpus: 8\n    memory: 32G");
  if (!policy.default_partition() && !policy.partitions.empty())
    checks.add(Severity::kWarning, "no-default-partition", "partitions",
               "no partition is the default: a job that names none is refused", "default: yes");
  for (const Partition& partition : policy.partitions) check_partition(checks, partition);
  if (policy.jobs.max_array_size > kMostArraySize)
    checks.add(Severity::kError, "array-size", "jobs.max_array_size",
               fmt::format("{} is more than Slurm takes", policy.jobs.max_array_size),
               fmt::format("max_array_size: {}", kMostArraySize));
  check_default_memory(checks);
  check_enforce(checks);
  check_priority(checks);
  check_slurm_only(checks);
  check_cpu_units(checks);
  check_names(checks);
}

std::vector<Finding> check_policy(const PolicyText& text) {
  Checks checks(text);
  if (!text.errors.empty()) {
    for (const Error& error : text.errors)
      checks.findings.push_back(
          Finding{Severity::kError, "file", error.where, error.what, error.hint});
    return std::move(checks.findings);
  }
  check_cluster(checks);
  check_qos(checks);
  check_preemption(checks);
  check_accounts(checks);
  std::stable_sort(checks.findings.begin(), checks.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return std::move(checks.findings);
}

}  // namespace sluice
