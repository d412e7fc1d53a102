// Partitions by scontrol, and what only slurm.conf can say. Both sides are written as slurm.conf
// lines by the same writer, so that only what differs differs.
#include <fmt/format.h>

#include <algorithm>

#include "policyfile/plan/plan_parts.h"
#include "policyfile/plan/slurm_conf.h"
#include "text/preempt_mode.h"
#include "text/scan.h"

namespace sluice {
namespace {

// The words "Key=value" of a line of slurm.conf, in their order.
using ConfWords = std::vector<std::pair<std::string, std::string>>;

ConfWords words_of(std::string_view line) {
  ConfWords out;
  for (const std::string_view word : split(line, ' '))
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
      out.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  return out;
}

// The same as scontrol takes them: what comes with GPUs is one list there.
ConfWords scontrol_words(std::string_view line) {
  ConfWords out;
  std::string defaults;
  for (auto& [key, value] : words_of(line)) {
    if (key != "DefCpuPerGPU" && key != "DefMemPerGPU")
      out.emplace_back(key, std::move(value));
    else
      defaults += fmt::format("{}{}={}", defaults.empty() ? "" : ",", key, value);
  }
  if (!defaults.empty()) out.emplace_back("JobDefaults", defaults);
  return out;
}

std::string value_of(const ConfWords& words, std::string_view key) {
  for (const auto& [name, value] : words)
    if (name == key) return value;
  return {};
}

struct ConfLines {
  std::vector<std::pair<std::string, std::string>> settings;
  std::map<std::string, std::string> nodes;       // One line for each node.
  std::map<std::string, std::string> partitions;  // By name.
  std::vector<std::string> partition_order;
};

ConfLines lines_of(const Policy& policy) {
  ConfLines out;
  Policy bare = policy;
  bare.nodes.clear();
  bare.switches.clear();
  for (Partition& partition : bare.partitions) partition.nodes.clear();
  const std::string whole = slurm_conf(policy);
  for (const std::string_view line : split(whole, '\n')) {
    if (line.starts_with("PartitionName=")) {
      const std::string name = value_of(words_of(line), "PartitionName");
      out.partition_order.push_back(name);
      out.partitions[name] = line;
    } else if (line.starts_with("# SwitchName=")) {
      // The last word is its nodes, or the switches below it.
      const std::string said = fmt::format("topology.conf: {}", line.substr(2));
      const std::size_t equals = said.rfind('=');
      out.settings.emplace_back(said.substr(0, equals), said.substr(equals + 1));
    } else if (!line.empty() && !line.starts_with('#') && !line.starts_with("NodeName=")) {
      const std::size_t equals = line.find('=');
      out.settings.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  for (const Node& node : policy.nodes) {
    bare.nodes = {node};
    bare.partitions.clear();
    const std::string text = slurm_conf(bare);
    for (const std::string_view line : split(text, '\n'))
      if (line.starts_with("NodeName=")) out.nodes[node.name] = line;
  }
  return out;
}

// What scontrol takes for "not set".
std::optional<std::string> unset(const std::string& key, const ConfWords& partition,
                                 const Policy& wanted) {
  static const std::map<std::string, std::string> kUnset = {{"MaxNodes", "UNLIMITED"},
                                                            {"MinNodes", "0"},
                                                            {"QOS", ""},
                                                            {"GraceTime", "0"},
                                                            {"MaxCPUsPerNode", "UNLIMITED"},
                                                            {"LLN", "NO"},
                                                            {"ExclusiveUser", "NO"},
                                                            {"DefMemPerCPU", "0"},
                                                            {"DefMemPerNode", "0"},
                                                            {"JobDefaults", ""},
                                                            {"MaxMemPerCPU", "0"},
                                                            {"MaxMemPerNode", "0"},
                                                            {"AllowAccounts", "ALL"},
                                                            {"DenyAccounts", ""},
                                                            {"AllowQos", "ALL"},
                                                            {"DenyQos", ""},
                                                            {"AllowGroups", "ALL"},
                                                            {"TRESBillingWeights", ""},
                                                            {"Nodes", ""}};
  // NONE is no value for scontrol, and means the longest time.
  if (key == "DefaultTime") return value_of(partition, "MaxTime");
  if (key == "PreemptMode") return std::string(preempt_mode_word(wanted.preemption.mode));
  const auto found = kUnset.find(key);
  if (found == kUnset.end()) return std::nullopt;
  return found->second;
}

std::string unquoted(std::string text) {
  std::erase(text, '"');
  return text;
}

class PartitionPlan {
 public:
  PartitionPlan(PlanContext& context, const ConfLines& now, const ConfLines& then)
      : c_(context), now_(now), then_(then) {}

  void make() {
    for (const std::string& name : then_.partition_order) {
      const auto live = now_.partitions.find(name);
      if (live == now_.partitions.end())
        create(name);
      else if (live->second != then_.partitions.at(name))
        change(name, live->second);
    }
    for (const std::string& name : now_.partition_order)
      if (!then_.partitions.contains(name)) remove(name);
  }

 private:
  void step(Argv argv, StepKind kind, const std::string& name, std::vector<std::string> says) {
    PlanStep& step = c_.plan.steps.emplace_back();
    step.argv = std::move(argv);
    step.kind = kind;
    step.subjects = {"partition " + name};
    step.says = std::move(says);
    c_.plan.keep.push_back(then_.partitions.at(name));
  }

  void create(const std::string& name) {
    Argv argv = {"scontrol", "create"};
    for (const auto& [key, value] : scontrol_words(then_.partitions.at(name)))
      argv.push_back(key + "=" + unquoted(value));
    step(std::move(argv), StepKind::kAdd, name, {"new partition " + name});
  }

  void change(const std::string& name, const std::string& live) {
    const ConfWords before = scontrol_words(live);
    const ConfWords after = scontrol_words(then_.partitions.at(name));
    Argv argv = {"scontrol", "update", "PartitionName=" + name};
    std::vector<std::string> says;
    const auto set = [&](const std::string& key, const std::string& value, const std::string& was) {
      argv.push_back(key + "=" + unquoted(value));
      says.push_back(fmt::format("partition {}: {} {}, was {}", name, key,
                                 value.empty() ? "nothing" : unquoted(value),
                                 was.empty() ? "nothing" : unquoted(was)));
    };
    for (const auto& [key, value] : after)
      if (const std::string was = value_of(before, key); was != value) set(key, value, was);
    for (const auto& [key, value] : before)
      if (value_of(after, key).empty())
        if (const auto nothing = unset(key, after, c_.wanted)) set(key, *nothing, value);
    if (argv.size() > 3) step(std::move(argv), StepKind::kChange, name, std::move(says));
  }

  void remove(const std::string& name) {
    std::vector<std::string> hits;
    for (const LiveHolder& job : c_.options.jobs)
      if (job.partition == name) hits.push_back(job.job);
    PlanStep step = c_.removal({"scontrol", "delete", "PartitionName=" + name}, "partition " + name,
                               "partition " + name + " goes", name, std::move(hits));
    // Before the QoS and accounts that it may name.
    std::vector<PlanStep> others = std::move(c_.last);
    c_.last.clear();
    c_.cancel_first(step, {"--partition=" + name});
    c_.last.push_back(std::move(step));
    for (PlanStep& other : others) c_.last.push_back(std::move(other));
  }

  PlanContext& c_;
  const ConfLines& now_;
  const ConfLines& then_;
};

// A file that names no machines is about the rules alone.
bool names_machines(const Policy& policy) { return !policy.nodes.empty(); }

}  // namespace

void plan_partitions(PlanContext& context) {
  if (!names_machines(context.wanted)) return;
  const ConfLines now = lines_of(as_slurm_keeps(context.live.policy));
  const ConfLines then = lines_of(context.wanted);
  PartitionPlan(context, now, then).make();
}

void plan_conf(PlanContext& context) {
  const ConfLines now = lines_of(as_slurm_keeps(context.live.policy));
  const ConfLines then = lines_of(context.wanted);
  std::vector<ConfChange>& out = context.plan.conf;
  const auto live_value = [&](const std::string& key) {
    for (const auto& [name, value] : now.settings)
      if (name == key) return std::optional(value);
    return std::optional<std::string>();
  };
  for (const auto& [key, value] : then.settings) {
    if (key == "ClusterName") continue;
    if (key == "AccountingStorageTRES") {
      std::vector<std::string> missing;
      for (const std::string& word : comma_words(value))
        if (!context.live.tracked.contains(to_lower(word))) missing.push_back(word);
      if (!missing.empty())
        out.push_back({key + "=" + value, fmt::format("without {}", fmt::join(missing, ","))});
      continue;
    }
    if (!names_machines(context.wanted) && key == "GresTypes") continue;
    const auto live = live_value(key);
    if (live != value) out.push_back({key + "=" + value, live ? key + "=" + *live : std::string()});
  }
  for (const auto& setting : now.settings) {
    const auto& key = setting.first;
    const auto& value = setting.second;
    if (key == "AccountingStorageTRES" || key == "GresTypes") continue;
    if (std::none_of(then.settings.begin(), then.settings.end(),
                     [&](const auto& other) { return other.first == key; }))
      // Of priorities that are not calculated nothing is said.
      if (!key.starts_with("Priority") && key != "FairShareDampeningFactor")
        out.push_back({{}, key + "=" + value});
  }
  if (!names_machines(context.wanted)) return;
  for (const Node& node : context.wanted.nodes) {
    const auto live = now.nodes.find(node.name);
    const std::string& line = then.nodes.at(node.name);
    if (live == now.nodes.end() || live->second != line)
      out.push_back({line, live == now.nodes.end() ? std::string() : live->second});
  }
  for (const auto& [name, line] : now.nodes)
    if (!then.nodes.contains(name)) out.push_back({{}, line});
}

}  // namespace sluice
