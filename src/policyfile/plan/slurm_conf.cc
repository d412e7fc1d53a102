// Nodes, partitions, priority, preemption, scheduling and enforcement in slurm.conf's words.
#include "policyfile/plan/slurm_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policyfile/read/quantities.h"
#include "policyfile/write/alike_nodes.h"
#include "text/cpu_unit.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/oversubscribe.h"
#include "text/preempt_mode.h"

namespace sluice {
namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, ",")); }

std::string minutes_up(Duration d) {
  return std::to_string(std::chrono::ceil<std::chrono::minutes>(d).count());
}

std::string seconds_text(Duration d) { return std::to_string(to_seconds(d)); }

std::string weights_text(const TresWeights& weights, const TresRegistry& tres) {
  Words words;
  for (const TresWeight& weight : weights)
    words.push_back(fmt::format("{}={}", tres.name(weight.tres), print_weight(weight)));
  return joined(words);
}

class Conf {
 public:
  void set(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}={}\n", key, value);
  }
  void comment(std::string_view text) { text_ += fmt::format("\n# {}\n", text); }
  void line(const std::string& text) { text_ += text + "\n"; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Several Key=Value in a line: NodeName and PartitionName.
class Line {
 public:
  Line(std::string_view key, const std::string& value) : text_(fmt::format("{}={}", key, value)) {}
  void set(std::string_view key, const std::string& value) {
    text_ += fmt::format(" {}={}", key, value);
  }
  template <class Number>
  void set_if(std::string_view key, const std::optional<Number>& value) {
    if (value) set(key, std::to_string(*value));
  }
  void set_if(std::string_view key, const std::vector<std::string>& words) {
    if (!words.empty()) set(key, joined(words));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string gres_text(const std::vector<Gpu>& gpus) {
  std::map<std::string, std::size_t> count;
  Words order;
  for (const Gpu& gpu : gpus)
    if (count[gpu.type]++ == 0) order.push_back(gpu.type);
  Words words;
  for (const std::string& type : order)
    words.push_back(type.empty() ? fmt::format("gpu:{}", count[type])
                                 : fmt::format("gpu:{}:{}", type, count[type]));
  return joined(words);
}

void write_nodes(const Policy& policy, Conf& conf) {
  conf.comment("Nodes");
  each_run_of_alike_nodes(policy, [&](const Node& like, const std::vector<std::string>& names) {
    Line line("NodeName", compress_hostlist(names));
    line.set("CPUs", std::to_string(like.cpus));
    line.set("Sockets", std::to_string(like.sockets));
    line.set("CoresPerSocket",
             std::to_string(std::max<std::int64_t>(
                 1, like.cpus / (std::int64_t{like.sockets} * like.threads_per_core))));
    line.set("ThreadsPerCore", std::to_string(like.threads_per_core));
    line.set("RealMemory", std::to_string(like.memory_mb));
    if (!like.gpus.empty()) line.set("Gres", gres_text(like.gpus));
    line.set_if("Feature", like.features);
    line.set("Weight", std::to_string(like.weight));
    line.set("State", "UNKNOWN");
    conf.line(line.text());
  });
}

void write_partition(const Policy& policy, const Partition& partition, Conf& conf) {
  static constexpr const char* kStates[] = {"UP", "DOWN", "DRAIN", "INACTIVE"};
  std::vector<std::string> names;
  for (NodeId id : partition.nodes) names.push_back(policy.nodes[id.index()].name);
  Line line("PartitionName", partition.name);
  if (!names.empty()) line.set("Nodes", compress_hostlist(names));
  line.set("Default", partition.is_default ? "YES" : "NO");
  line.set("State", kStates[static_cast<std::size_t>(partition.state)]);
  line.set("MaxTime", partition.max_time ? format_duration(*partition.max_time) : "UNLIMITED");
  if (partition.default_time) line.set("DefaultTime", format_duration(*partition.default_time));
  line.set_if("MaxNodes", partition.max_nodes);
  if (partition.min_nodes > 0) line.set("MinNodes", std::to_string(partition.min_nodes));
  line.set("PriorityTier", std::to_string(partition.priority_tier));
  line.set("PriorityJobFactor", std::to_string(partition.priority_job_factor));
  if (partition.qos) line.set("QOS", policy.qos[partition.qos->index()].name);
  line.set("OverSubscribe", oversubscribe_word(partition));
  if (partition.preempt_mode)
    line.set("PreemptMode", std::string(preempt_mode_word(*partition.preempt_mode)));
  if (partition.grace_time) line.set("GraceTime", seconds_text(*partition.grace_time));
  line.set_if("DefMemPerCPU", partition.default_mem_per_cpu_mb);
  line.set_if("DefMemPerNode", partition.default_mem_per_node_mb);
  line.set_if("DefCpuPerGPU", partition.with_gpu.cpus);
  line.set_if("DefMemPerGPU", partition.with_gpu.memory_mb);
  line.set_if("MaxMemPerCPU", partition.max_mem_per_cpu_mb);
  line.set_if("MaxMemPerNode", partition.max_mem_per_node_mb);
  line.set_if("MaxCPUsPerNode", partition.max_cpus_per_node);
  if (partition.least_loaded) line.set("LLN", "YES");
  if (partition.cpu_unit)
    line.set("SelectTypeParameters", cpu_unit_word(policy, *partition.cpu_unit));
  if (partition.exclusive_user) line.set("ExclusiveUser", "YES");
  if (partition.over_time_limit) line.set("OverTimeLimit", minutes_up(*partition.over_time_limit));
  line.set_if("AllowAccounts", partition.allow_accounts);
  line.set_if("DenyAccounts", partition.deny_accounts);
  line.set_if("AllowQos", partition.allow_qos);
  line.set_if("DenyQos", partition.deny_qos);
  line.set_if("AllowGroups", partition.allow_groups);
  if (!partition.billing_weights.empty())
    line.set("TRESBillingWeights",
             "\"" + weights_text(partition.billing_weights, policy.tres) + "\"");
  conf.line(line.text());
}

void write_priority(const Policy& policy, Conf& conf) {
  static constexpr const char* kResets[] = {"NONE",    "NOW",       "DAILY", "WEEKLY",
                                            "MONTHLY", "QUARTERLY", "YEARLY"};
  const PrioritySettings& p = policy.priority;
  conf.comment("Priority");
  if (p.type == PriorityType::kBasic) {
    conf.set("PriorityType", "priority/basic");
    return;
  }
  conf.set("PriorityType", "priority/multifactor");
  conf.set("PriorityWeightAge", std::to_string(p.weight_age));
  conf.set("PriorityWeightAssoc", std::to_string(p.weight_assoc));
  conf.set("PriorityWeightFairshare", std::to_string(p.weight_fairshare));
  conf.set("PriorityWeightJobSize", std::to_string(p.weight_job_size));
  conf.set("PriorityWeightPartition", std::to_string(p.weight_partition));
  conf.set("PriorityWeightQOS", std::to_string(p.weight_qos));
  if (!p.weight_tres.empty())
    conf.set("PriorityWeightTRES", weights_text(p.weight_tres, policy.tres));
  conf.set("PriorityMaxAge", format_duration(p.max_age));
  conf.set("PriorityDecayHalfLife",
           p.half_life == Duration(0) ? "0" : format_duration(p.half_life));
  conf.set("PriorityCalcPeriod", minutes_up(p.calc_period));
  conf.set("PriorityUsageResetPeriod", kResets[static_cast<std::size_t>(p.usage_reset)]);
  conf.set("PriorityFavorSmall", p.favor_small ? "YES" : "NO");
  conf.set("FairShareDampeningFactor", std::to_string(p.dampening));
  Words flags;
  auto flag = [&](bool on, const char* word) {
    if (on) flags.emplace_back(word);
  };
  flag(p.accrue_always, "ACCRUE_ALWAYS");
  flag(p.calculate_running, "CALCULATE_RUNNING");
  flag(p.depth_oblivious, "DEPTH_OBLIVIOUS");
  flag(p.increase_only, "INCR_ONLY");
  flag(p.max_tres, "MAX_TRES");
  flag(!p.fair_tree, "NO_FAIR_TREE");
  flag(p.no_normal_assoc, "NO_NORMAL_ASSOC");
  flag(p.no_normal_part, "NO_NORMAL_PART");
  flag(p.no_normal_qos, "NO_NORMAL_QOS");
  flag(p.no_normal_tres, "NO_NORMAL_TRES");
  flag(p.small_relative_to_time, "SMALL_RELATIVE_TO_TIME");
  if (!flags.empty()) conf.set("PriorityFlags", joined(flags));
}

void write_preemption(const Policy& policy, Conf& conf) {
  static constexpr const char* kTypes[] = {"preempt/none", "preempt/qos", "preempt/partition_prio"};
  const PreemptSettings& p = policy.preemption;
  conf.comment("Preemption");
  conf.set("PreemptType", kTypes[static_cast<std::size_t>(p.type)]);
  // With preempt/none slurmctld takes no mode but GANG.
  Words mode;
  if (p.type != PreemptType::kNone && p.mode != PreemptMode::kOff)
    mode.emplace_back(preempt_mode_word(p.mode));
  if (p.gang) mode.emplace_back("GANG");
  conf.set("PreemptMode", mode.empty() ? "OFF" : joined(mode));
  if (p.exempt_time > Duration(0)) conf.set("PreemptExemptTime", format_duration(p.exempt_time));
  if (p.gang) conf.set("SchedulerTimeSlice", seconds_text(p.time_slice));
}

void write_scheduler(const Policy& policy, Conf& conf) {
  const SchedulerSettings& s = policy.scheduler;
  const SchedulerSettings usual;
  conf.comment("Scheduling");
  conf.set("SchedulerType", s.type == SchedulerType::kBuiltin ? "sched/builtin" : "sched/backfill");
  Words words;
  auto add = [&](std::string_view key, const std::string& value) {
    words.push_back(fmt::format("{}={}", key, value));
  };
  if (s.backfill_interval > Duration(0))
    add("bf_interval", std::to_string(std::max<std::int64_t>(1, to_seconds(s.backfill_interval))));
  if (s.backfill_window != usual.backfill_window) add("bf_window", minutes_up(s.backfill_window));
  if (s.backfill_resolution != usual.backfill_resolution)
    add("bf_resolution", seconds_text(s.backfill_resolution));
  if (s.backfill_max_job_test != usual.backfill_max_job_test)
    add("bf_max_job_test", std::to_string(s.backfill_max_job_test));
  if (s.backfill_max_job_user) add("bf_max_job_user", std::to_string(*s.backfill_max_job_user));
  if (s.backfill_max_job_part) add("bf_max_job_part", std::to_string(*s.backfill_max_job_part));
  if (s.default_queue_depth != usual.default_queue_depth)
    add("default_queue_depth", std::to_string(s.default_queue_depth));
  if (s.assoc_limit_stop) words.emplace_back("assoc_limit_stop");
  if (s.backfill_min_prio_reserve)
    add("bf_min_prio_reserve", std::to_string(*s.backfill_min_prio_reserve));
  if (s.backfill_min_age_reserve > Duration(0))
    add("bf_min_age_reserve", seconds_text(s.backfill_min_age_reserve));
  if (s.partition_job_depth) add("partition_job_depth", std::to_string(*s.partition_job_depth));
  if (s.backfill_busy_nodes) words.emplace_back("bf_busy_nodes");
  if (s.pack_serial_at_end) words.emplace_back("pack_serial_at_end");
  if (s.max_switch_wait != usual.max_switch_wait)
    add("max_switch_wait", seconds_text(s.max_switch_wait));
  const PreemptSettings& p = policy.preemption;
  if (p.youngest_first) words.emplace_back("preempt_youngest_first");
  if (!p.reorder) words.emplace_back("preempt_reorder_count=0");
  if (p.strict_order) words.emplace_back("preempt_strict_order");
  if (!words.empty()) conf.set("SchedulerParameters", joined(words));
  if (s.kill_invalid_depend) conf.set("DependencyParameters", "kill_invalid_depend");
  // A requeued job waits until the credential of its last run has expired, and one second more.
  if (s.requeue_delay != usual.requeue_delay)
    conf.set("AuthInfo", fmt::format("cred_expire={}",
                                     std::max<std::int64_t>(1, to_seconds(s.requeue_delay) - 1)));
}

void write_accounting(const Policy& policy, Conf& conf) {
  const EnforceSettings& e = policy.enforce;
  conf.comment("Accounting");
  Words enforce;
  if (e.associations) enforce.emplace_back("associations");
  if (e.limits) enforce.emplace_back("limits");
  if (e.qos) enforce.emplace_back("qos");
  if (e.safe) enforce.emplace_back("safe");
  // Slurm has no word for enforcing nothing: the key has to be absent.
  if (enforce.empty())
    conf.line("# AccountingStorageEnforce is left out: nothing is enforced.");
  else
    conf.set("AccountingStorageEnforce", joined(enforce));
  Words tres;
  const bool gpus = std::any_of(policy.nodes.begin(), policy.nodes.end(),
                                [](const Node& node) { return !node.gpus.empty(); });
  if (gpus) tres.emplace_back("gres/gpu");
  for (std::size_t i = kStandardTres; i < policy.tres.size(); ++i)
    tres.push_back(policy.tres.name(TresIndex(static_cast<std::uint8_t>(i))));
  if (!tres.empty()) conf.set("AccountingStorageTRES", joined(tres));
  if (gpus) conf.set("GresTypes", "gpu");
  Words licenses;
  for (const License& license : policy.licenses)
    licenses.push_back(fmt::format("{}:{}", license.name, license.count));
  if (!licenses.empty()) conf.set("Licenses", joined(licenses));
}

void write_jobs(const Policy& policy, Conf& conf) {
  const JobSettings& j = policy.jobs;
  conf.comment("Jobs");
  conf.set("SelectType", "select/cons_tres");
  std::string select = cpu_unit_word(policy, policy.scheduler.cpu_unit);
  if (policy.scheduler.least_loaded) select += ",CR_LLN";
  if (policy.scheduler.pack_nodes) select += ",CR_Pack_Nodes";
  conf.set("SelectTypeParameters", select);
  conf.set("MaxArraySize", std::to_string(j.max_array_size));
  conf.set("MaxJobCount", std::to_string(j.max_job_count));
  conf.set("FirstJobId", std::to_string(j.first_job_id));
  conf.set("MinJobAge", seconds_text(j.min_job_age));
  conf.set("KillWait", seconds_text(j.kill_wait));
  if (j.over_time_limit > Duration(0)) conf.set("OverTimeLimit", minutes_up(j.over_time_limit));
  if (!j.prolog.empty()) conf.set("Prolog", j.prolog);
  if (!j.epilog.empty()) conf.set("Epilog", j.epilog);
  if (j.prolog_epilog_timeout > Duration(0)) {
    conf.set("PrologEpilogTimeout", seconds_text(j.prolog_epilog_timeout));
  }
  Words hidden;
  if (j.private_data.jobs) hidden.emplace_back("jobs");
  if (j.private_data.usage) hidden.emplace_back("usage");
  if (j.private_data.users) hidden.emplace_back("users");
  if (j.private_data.accounts) hidden.emplace_back("accounts");
  if (!hidden.empty()) conf.set("PrivateData", joined(hidden));
  conf.set("JobRequeue", j.requeue ? "1" : "0");
  static constexpr const char* kEnforce[] = {"NO", "ANY", "ALL"};
  conf.set("EnforcePartLimits", kEnforce[static_cast<std::size_t>(j.enforce_part_limits)]);
  auto memory = [&](std::string_view key, const std::optional<std::int64_t>& mb) {
    if (mb) conf.set(key, std::to_string(*mb));
  };
  memory("DefMemPerCPU", j.default_mem_per_cpu_mb);
  memory("DefMemPerNode", j.default_mem_per_node_mb);
  if (j.with_gpu.cpus) conf.set("DefCpuPerGPU", std::to_string(*j.with_gpu.cpus));
  memory("DefMemPerGPU", j.with_gpu.memory_mb);
  memory("MaxMemPerCPU", j.max_mem_per_cpu_mb);
  memory("MaxMemPerNode", j.max_mem_per_node_mb);
}

// Switches have a file of their own.
void write_topology(const Policy& policy, Conf& conf) {
  if (policy.switches.empty()) return;
  conf.comment("Topology");
  conf.set("TopologyPlugin", "topology/tree");
  if (policy.scheduler.topology_optional) conf.set("TopologyParam", "TopoOptional");
  conf.line("# The lines of topology.conf:");
  for (const Switch& one : policy.switches) {
    Words nodes;
    for (const NodeId node : one.nodes) nodes.push_back(policy.nodes[node.index()].name);
    Words below;
    for (const std::uint32_t number : one.switches) below.push_back(policy.switches[number].name);
    Line line("# SwitchName", one.name);
    if (!nodes.empty()) line.set("Nodes", compress_hostlist(nodes));
    if (!below.empty()) line.set("Switches", compress_hostlist(below));
    conf.line(line.text());
  }
}

}  // namespace

std::string slurm_conf(const Policy& policy) {
  Conf conf;
  conf.line("# From a policy file. Hosts, ports and folders are the site's own.");
  conf.set("ClusterName", policy.cluster);
  write_accounting(policy, conf);
  write_jobs(policy, conf);
  write_scheduler(policy, conf);
  write_priority(policy, conf);
  write_preemption(policy, conf);
  write_nodes(policy, conf);
  write_topology(policy, conf);
  conf.comment("Partitions");
  for (const Partition& partition : policy.partitions) write_partition(policy, partition, conf);
  return conf.take();
}

}  // namespace sluice
