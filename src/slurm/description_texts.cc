// Nodes, partitions, the account tree with its limits and use, and everybody's jobs.
#include "slurm/description_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "slurm/assoc_records.h"
#include "slurm/held_jobs.h"
#include "slurm/live_limits.h"
#include "slurm/live_nodes.h"
#include "slurm/live_reservations.h"
#include "slurm/records.h"
#include "slurm/table.h"
#include "slurm/version.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/job_defaults.h"
#include "text/scan.h"
#include "text/tres_weight.h"

namespace sluice {
namespace {

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> out;
  if (is_absent(text) || text == "ALL") return out;
  for (const std::string_view name : split(text, ',')) out.emplace_back(name);
  return out;
}

template <class Number>
std::optional<Number> amount(std::string_view text) {
  return whole_number<Number>(text);  // "UNLIMITED" is not a number.
}

// "CPU=1.0,Mem=0.25G,GRES/gpu=2.0", as the administrator wrote it. What is not counted here weighs
// nothing.
TresWeights weights_of(std::string_view text, const TresRegistry& registry) {
  TresWeights out;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    std::string name(item.substr(0, equals));
    // The kind of a GPU is written as it is.
    for (char& c : name) {
      if (c == ':') break;
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const auto tres = registry.find(name);
    if (!tres) continue;
    if (auto weight = read_weight(*tres, item.substr(equals + 1))) out.push_back(*weight);
  }
  return out;
}

using NodesByName = std::map<std::string_view, NodeId>;

// "NO", "EXCLUSIVE", "YES:4", "FORCE:2".
void read_sharing(std::string_view text, Partition& out) {
  if (text.starts_with("EXCLUSIVE")) out.oversubscribe = OverSubscribe::kExclusive;
  if (text.starts_with("YES")) out.oversubscribe = OverSubscribe::kYes;
  if (text.starts_with("FORCE")) out.oversubscribe = OverSubscribe::kForce;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos)
    if (const auto jobs = whole_number<std::int32_t>(text.substr(colon + 1)))
      out.oversubscribe_jobs = *jobs;
}

PartitionRules read_rules(const Record& record) {
  PartitionRules out;
  out.root_only = record.get("RootOnly") == "YES";
  out.needs_reservation = record.get("ReqResv") == "YES";
  out.is_hidden = record.get("Hidden") == "YES";
  return out;
}

Partition read_partition(const Record& record, const Policy& policy, const NodesByName& nodes_of) {
  Partition out;
  out.name = record.get("PartitionName");
  if (const std::string_view nodes = record.given("Nodes"); !nodes.empty())
    if (const auto names = expand_hostlist(nodes))
      for (const std::string& name : *names)
        if (const auto node = nodes_of.find(name); node != nodes_of.end())
          out.nodes.push_back(node->second);
  out.is_default = record.get("Default") == "YES";
  const std::string_view state = record.get("State");
  if (state == "DOWN") out.state = PartitionState::kDown;
  if (state == "DRAIN") out.state = PartitionState::kDrain;
  if (state == "INACTIVE") out.state = PartitionState::kInactive;
  if (const auto limit = parse_duration(record.get("MaxTime"))) out.max_time = limit->duration;
  // None is no time of its own; UNLIMITED is one, which no limit allows.
  if (record.get("DefaultTime") != "NONE")
    if (const auto limit = parse_duration(record.get("DefaultTime")))
      out.default_time = limit->duration.value_or(std::chrono::hours(24 * 365));
  out.max_nodes = amount<std::int32_t>(record.get("MaxNodes"));
  out.min_nodes = amount<std::int32_t>(record.get("MinNodes")).value_or(0);
  out.max_cpus_per_node = amount<std::int32_t>(record.get("MaxCPUsPerNode"));
  out.default_mem_per_cpu_mb = amount<std::int64_t>(record.get("DefMemPerCPU"));
  out.default_mem_per_node_mb = amount<std::int64_t>(record.get("DefMemPerNode"));
  out.with_gpu = parse_job_defaults(record.given("JobDefaults"));
  out.max_mem_per_cpu_mb = amount<std::int64_t>(record.get("MaxMemPerCPU"));
  out.max_mem_per_node_mb = amount<std::int64_t>(record.get("MaxMemPerNode"));
  out.priority_tier = amount<std::int32_t>(record.get("PriorityTier")).value_or(1);
  out.priority_job_factor = amount<std::int32_t>(record.get("PriorityJobFactor")).value_or(1);
  if (const std::string_view qos = record.given("QoS"); !qos.empty())
    out.qos = policy.find_qos(qos);
  read_sharing(record.get("OverSubscribe"), out);
  out.allow_accounts = names_in(record.get("AllowAccounts"));
  out.deny_accounts = names_in(record.get("DenyAccounts"));
  out.allow_qos = names_in(record.get("AllowQos"));
  out.deny_qos = names_in(record.get("DenyQos"));
  out.allow_groups = names_in(record.get("AllowGroups"));
  out.billing_weights = weights_of(record.given("TRESBillingWeights"), policy.tres);
  return out;
}

bool lists(std::string_view text, std::string_view word) {
  const auto words = split(text, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

void read_config(std::string_view config, Policy& policy, Description& out) {
  policy.cluster = or_empty(config_value(config, "ClusterName"));
  out.capabilities.software = fmt::format("slurm {}", config_value(config, "SLURM_VERSION"));
  const auto number = [&](std::string_view key, std::uint32_t& value) {
    if (const auto read = amount<std::uint32_t>(config_value(config, key))) value = *read;
  };
  number("MaxArraySize", out.capabilities.max_array_size);
  number("MaxJobCount", out.capabilities.max_job_count);
  policy.jobs.max_array_size = out.capabilities.max_array_size;
  policy.jobs.max_job_count = out.capabilities.max_job_count;
  policy.jobs.default_mem_per_cpu_mb = amount<std::int64_t>(config_value(config, "DefMemPerCPU"));
  policy.jobs.default_mem_per_node_mb = amount<std::int64_t>(config_value(config, "DefMemPerNode"));
  policy.jobs.with_gpu = parse_job_defaults(config_value(config, "JobDefaults"));
  policy.jobs.max_mem_per_cpu_mb = amount<std::int64_t>(config_value(config, "MaxMemPerCPU"));
  policy.jobs.max_mem_per_node_mb = amount<std::int64_t>(config_value(config, "MaxMemPerNode"));
  const std::string_view part_limits = config_value(config, "EnforcePartLimits");
  if (part_limits == "ANY") policy.jobs.enforce_part_limits = EnforcePartLimits::kAny;
  if (part_limits == "ALL" || part_limits == "YES")
    policy.jobs.enforce_part_limits = EnforcePartLimits::kAll;
  const std::string_view select = config_value(config, "SelectTypeParameters");
  policy.jobs.memory_is_consumable =
      select.empty() || select.find("MEMORY") != std::string_view::npos;
  const std::string_view enforce = config_value(config, "AccountingStorageEnforce");
  const bool all = lists(enforce, "all");
  policy.enforce.safe = all || lists(enforce, "safe");
  policy.enforce.limits = policy.enforce.safe || lists(enforce, "limits");
  policy.enforce.qos = all || lists(enforce, "qos");
  policy.enforce.associations =
      policy.enforce.limits || policy.enforce.qos || lists(enforce, "associations");
  policy.priority.max_tres = lists(config_value(config, "PriorityFlags"), "MAX_TRES");
  const std::string_view kept = config_value(config, "AccountingStorageType");
  out.capabilities.accounting = kept.find("slurmdbd") != std::string_view::npos;
  const std::string_view hidden = config_value(config, "PrivateData");
  if (lists(hidden, "jobs")) {
    out.capabilities.others_visible = false;
    out.unseen.emplace_back("whose jobs hold what (PrivateData=jobs)");
  }
  if (lists(hidden, "users") || lists(hidden, "usage"))
    out.unseen.emplace_back("the use of other users' associations (PrivateData)");
  if (!policy.enforce.limits)
    out.unseen.emplace_back("limits: this cluster enforces none (AccountingStorageEnforce)");
}

// "gres/gpu", "gres/gpu:a100", "license/matlab": the dimensions that limits and jobs may name.
// energy, fs/disk, vmem and pages are no amounts of a job that waits.
void register_tres(std::string_view config, Policy& policy, Description& out) {
  for (const std::string_view name : split(config_value(config, "AccountingStorageTRES"), ',')) {
    if (!name.starts_with("gres/") && !name.starts_with("license/")) continue;
    if (!policy.tres.find(name) && !policy.tres.add(name))
      out.unseen.push_back(fmt::format("limits on {} (more kinds than can be counted)", name));
  }
}

// What reservations keep of them is taken, too.
void read_licenses(std::string_view text, Policy& policy, Description& out) {
  for (const Record& record : records_of(text, "LicenseName=")) {
    policy.licenses.push_back({std::string(record.get("LicenseName")),
                               amount<std::int64_t>(record.get("Total")).value_or(0)});
    out.licenses_taken.push_back(amount<std::int64_t>(record.get("Used")).value_or(0) +
                                 amount<std::int64_t>(record.get("Reserved")).value_or(0));
  }
}

}  // namespace

Description read_description(const DescriptionTexts& texts, const std::string& user) {
  Description out;
  out.user = user;
  Policy policy;
  read_config(texts.config, policy, out);
  register_tres(texts.config, policy, out);
  read_nodes(texts.nodes, policy, out);
  read_licenses(texts.licenses, policy, out);
  const auto records = parse_assoc_records(texts.assoc_mgr);
  read_limits(records, policy, out);
  if (texts.qos_table)
    read_qos_table(*texts.qos_table,
                   read_slurm_version(config_value(texts.config, "SLURM_VERSION")), policy, out);
  else
    out.unseen.emplace_back("flags and limits of QoS without jobs (slurmdbd does not answer)");
  if (texts.assoc_table)
    read_assoc_table(*texts.assoc_table, policy);
  else
    out.unseen.emplace_back("which QoS your accounts may use (slurmdbd does not answer)");
  NodesByName nodes;
  for (std::size_t i = 0; i < policy.nodes.size(); ++i)
    nodes.emplace(policy.nodes[i].name, NodeId(static_cast<std::uint32_t>(i)));
  const bool whole_nodes =
      config_value(texts.config, "SelectType").find("linear") != std::string_view::npos;
  for (const Record& record : records_of(texts.partitions, "PartitionName=")) {
    Partition& partition = policy.partitions.emplace_back(read_partition(record, policy, nodes));
    if (whole_nodes && partition.oversubscribe == OverSubscribe::kNo)
      partition.oversubscribe = OverSubscribe::kExclusive;
    out.partition_rules.push_back(read_rules(record));
  }
  out.kept = read_reservations(texts.reservations, policy);
  give_back_maintained(texts.nodes, policy, out);
  if (!texts.groups.empty()) {
    User& who_asks = policy.users.emplace_back();
    who_asks.name = user;
    who_asks.groups = texts.groups;
  }
  HeldJobs held = parse_held_jobs(texts.queue, policy.tres);
  out.jobs = std::move(held.jobs);
  if (held.unreadable != 0)
    out.unseen.push_back(fmt::format("{} rows of squeue that cannot be read", held.unreadable));
  for (const std::string& field : held.missing)
    out.unseen.push_back(fmt::format("{} of jobs (this squeue does not have it)", field));
  if (records.empty()) use_from_jobs(policy, out);
  out.policy = std::make_shared<const Policy>(std::move(policy));
  return out;
}

}  // namespace sluice
