// scontrol show node, partition, licenses.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>

#include "cli/local_time.h"
#include "model/billing.h"
#include "shims/scontrol_show.h"
#include "shims/site.h"
#include "shims/slurm_json.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/job_defaults.h"
#include "text/oversubscribe.h"
#include "text/tres.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

std::string lines_text(const std::vector<std::string>& lines, const ScontrolFlags& flags) {
  std::string out;
  for (const std::string& line : lines)
    out += (out.empty() ? "" : flags.one_line ? " " : "\n   ") + line;
  return out + (flags.one_line ? "\n" : "\n\n");
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

// Slurm's words for states with flags.
std::string state_text(const NodeLine& line) {
  if (line.state == "drained") return "IDLE+DRAIN";
  if (line.state == "draining") return line.cpus_free == 0 ? "ALLOCATED+DRAIN" : "MIXED+DRAIN";
  return upper(line.state);
}

TresVector tres_of_node(const Policy& policy, const Node& node) {
  TresVector out;
  out[kTresCpu] = node.cpus;
  out[kTresMem] = node.memory_mb;
  out[kTresGpu] = static_cast<std::int64_t>(node.gpus.size());
  for (const Gpu& gpu : node.gpus)
    if (const auto typed = policy.tres.find("gres/gpu:" + gpu.type); typed && !gpu.type.empty())
      ++out[*typed];
  return out;
}

TresVector taken_of_node(const Policy& policy, const Node& node, const NodeLine& line) {
  TresVector out;
  out[kTresCpu] = line.cpus - line.cpus_free;
  out[kTresMem] = line.memory_mb - line.memory_free_mb;
  out[kTresGpu] = line.gpus - line.gpus_free;
  // Which of several types are taken is not told; one type is the common case.
  if (!node.gpus.empty() && !node.gpus.front().type.empty())
    if (const auto typed = policy.tres.find("gres/gpu:" + node.gpus.front().type))
      out[*typed] = out[kTresGpu];
  return out;
}

std::string list_or(const std::vector<std::string>& list, std::string_view none) {
  return list.empty() ? std::string(none) : fmt::format("{}", fmt::join(list, ","));
}

Instant boot_time() {
  timespec since{};
  ::clock_gettime(CLOCK_BOOTTIME, &since);
  return now_here() - seconds(since.tv_sec);
}

std::vector<std::string> partitions_of(const Policy& policy, std::size_t node) {
  std::vector<std::string> out;
  for (const Partition& partition : policy.partitions)
    for (const NodeId id : partition.nodes)
      if (id.index() == node) out.push_back(partition.name);
  return out;
}

// What it would be billed in the partition that a job gets by default is part of it.
TresVector billed_tres_of_node(const Policy& policy, const Node& node) {
  TresVector all = tres_of_node(policy, node);
  all[kTresBilling] =
      policy.partitions.empty() ? node.cpus : billing_of(policy, PartitionId(0), all);
  return all;
}

int cores_of(const Node& node) {
  return std::max(1, node.cpus / std::max(1, node.sockets * node.threads_per_core));
}

void add_node(SlurmJson& json, const Site& site, std::size_t i, const utsname& system) {
  const Policy& policy = site.policy;
  const Node& node = policy.nodes[i];
  const NodeLine& line = site.nodes[i];
  const bool drains = line.state == "drained" || line.state == "draining";
  const std::string features = fmt::format("{}", fmt::join(node.features, ","));
  const std::int64_t used = line.cpus - line.cpus_free;
  json.writer().begin_object();
  json.text("architecture", system.machine);
  json.text("burstbuffer_network_address", "");
  json.number("boards", std::int64_t{1});
  json.time("boot_time", boot_time());
  json.text("comment", "");
  json.number("cores", std::int64_t{cores_of(node)});
  json.number("cpu_binding", std::int64_t{0});
  json.number("cpu_load", static_cast<std::int64_t>(host_load() * 100));
  json.text("extra", "");
  json.number("free_memory", host_free_mb());
  json.number("cpus", std::int64_t{node.cpus});
  json.time("last_busy", now_here());
  json.text("features", features);
  json.text("active_features", features);
  json.text("gres", gres_of(node));
  json.text("gres_drained", "N/A");
  json.text("gres_used", gres_used(node, line));
  json.text("mcs_label", "");
  json.text("name", node.name);
  json.text("next_state_after_reboot", "invalid");
  json.text("address", host_name());
  json.text("hostname", host_name());
  json.text("state", !drains               ? line.state
                     : used == 0           ? "idle"
                     : line.cpus_free == 0 ? "allocated"
                                           : "mixed");
  json.texts("state_flags",
             drains ? std::vector<std::string>{"DRAIN"} : std::vector<std::string>());
  json.texts("next_state_after_reboot_flags", {});
  json.text("operating_system",
            fmt::format("{} {} {}", system.sysname, system.release, system.version));
  json.null("owner");
  json.texts("partitions", partitions_of(policy, i));
  json.number("port", std::int64_t{0});
  json.number("real_memory", node.memory_mb);
  json.text("reason", line.why);
  json.time("reason_changed_at", line.since);
  if (line.by.empty())
    json.null("reason_set_by_user");
  else
    json.text("reason_set_by_user", line.by);
  json.time("slurmd_start_time", boot_time());
  json.number("sockets", std::int64_t{node.sockets});
  json.number("threads", std::int64_t{node.threads_per_core});
  json.number("temporary_disk", std::int64_t{0});
  json.number("weight", std::int64_t{node.weight});
  json.text("tres", format_tres(billed_tres_of_node(policy, node), policy.tres));
  json.text("slurmd_version", "22.05.8");
  json.number("alloc_memory", line.memory_mb - line.memory_free_mb);
  json.number("alloc_cpus", used);
  json.number("idle_cpus", line.cpus_free);
  const TresVector taken = taken_of_node(policy, node, line);
  if (used == 0)
    json.null("tres_used");
  else
    json.text("tres_used", format_tres(taken, policy.tres));
  json.real("tres_weighted",
            policy.partitions.empty() ? used : billing_of(policy, PartitionId(0), taken));
  json.end_object();
}

std::string node_text(const Site& site, std::size_t i, const ScontrolFlags& flags) {
  const Policy& policy = site.policy;
  const Node& node = policy.nodes[i];
  const NodeLine& line = site.nodes[i];
  utsname system{};
  ::uname(&system);
  const TresVector all = billed_tres_of_node(policy, node);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("NodeName={} Arch={} CoresPerSocket={} ", node.name, system.machine,
                              cores_of(node)));
  lines.push_back(fmt::format("CPUAlloc={} CPUEfctv={} CPUTot={} CPULoad={:.2f}",
                              line.cpus - line.cpus_free, node.cpus, node.cpus, host_load()));
  lines.push_back("AvailableFeatures=" + list_or(node.features, "(null)"));
  lines.push_back("ActiveFeatures=" + list_or(node.features, "(null)"));
  lines.push_back("Gres=" + or_null(gres_of(node)));
  if (flags.detail > 0) lines.push_back("GresDrain=N/A");
  if (flags.detail > 0) lines.push_back("GresUsed=" + gres_used(node, line));
  lines.push_back(
      fmt::format("NodeAddr={} NodeHostName={} Version=22.05.8", host_name(), host_name()));
  lines.push_back(fmt::format("OS={} {} {} ", system.sysname, system.release, system.version));
  lines.push_back(fmt::format("RealMemory={} AllocMem={} FreeMem={} Sockets={} Boards=1",
                              node.memory_mb, line.memory_mb - line.memory_free_mb, host_free_mb(),
                              node.sockets));
  lines.push_back(
      fmt::format("State={} ThreadsPerCore={} TmpDisk=0 Weight={} Owner=N/A MCS_label=N/A",
                  state_text(line), node.threads_per_core, node.weight));
  lines.push_back(fmt::format("Partitions={} ", fmt::join(partitions_of(policy, i), ",")));
  const std::string boot = time_text(boot_time(), "Unknown");
  lines.push_back(fmt::format("BootTime={} SlurmdStartTime={}", boot, boot));
  lines.push_back("LastBusyTime=" + time_text(now_here(), "Unknown"));
  lines.push_back("CfgTRES=" + format_tres(all, policy.tres));
  lines.push_back("AllocTRES=" + format_tres(taken_of_node(policy, node, line), policy.tres));
  lines.push_back("CapWatts=n/a");
  lines.push_back("CurrentWatts=0 AveWatts=0");
  lines.push_back("ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s");
  if (!line.why.empty())
    lines.push_back(fmt::format("Reason={} [{}@{}]", shown(line.why), line.by,
                                time_text(line.since, "Unknown")));
  return lines_text(lines, flags);
}

std::string yes_no(bool set) { return set ? "YES" : "NO"; }

std::string partition_text(const Site& site, const Partition& partition,
                           const ScontrolFlags& flags) {
  const Policy& policy = site.policy;
  TresVector total;
  std::int64_t cpus = 0;
  for (const NodeId id : partition.nodes) {
    const Node& node = policy.nodes[id.index()];
    total += tres_of_node(policy, node);
    cpus += node.cpus;
  }
  total[kTresNode] = static_cast<std::int64_t>(partition.nodes.size());
  const auto place = static_cast<std::uint32_t>(&partition - policy.partitions.data());
  total[kTresBilling] = billing_of(policy, PartitionId(place), total);
  const auto limit = [](const std::optional<Duration>& time, std::string_view none) {
    return time ? format_duration(*time) : std::string(none);
  };
  std::vector<std::string> lines;
  lines.push_back("PartitionName=" + partition.name);
  lines.push_back(fmt::format("AllowGroups={} {} {}", list_or(partition.allow_groups, "ALL"),
                              partition.allow_accounts.empty() && !partition.deny_accounts.empty()
                                  ? "DenyAccounts=" + list_or(partition.deny_accounts, "")
                                  : "AllowAccounts=" + list_or(partition.allow_accounts, "ALL"),
                              partition.allow_qos.empty() && !partition.deny_qos.empty()
                                  ? "DenyQos=" + list_or(partition.deny_qos, "")
                                  : "AllowQos=" + list_or(partition.allow_qos, "ALL")));
  lines.push_back(fmt::format("AllocNodes=ALL Default={} QoS={}", yes_no(partition.is_default),
                              partition.qos ? policy.qos[partition.qos->index()].name : "N/A"));
  lines.push_back(
      fmt::format("DefaultTime={} DisableRootJobs=NO ExclusiveUser={} GraceTime={} Hidden=NO",
                  limit(partition.default_time, "NONE"), yes_no(partition.exclusive_user),
                  to_seconds(partition.grace_time.value_or(Duration(0)))));
  lines.push_back(fmt::format(
      "MaxNodes={} MaxTime={} MinNodes={} LLN={} MaxCPUsPerNode={}",
      partition.max_nodes ? std::to_string(*partition.max_nodes) : "UNLIMITED",
      limit(partition.max_time, "UNLIMITED"), partition.min_nodes, yes_no(partition.least_loaded),
      partition.max_cpus_per_node ? std::to_string(*partition.max_cpus_per_node) : "UNLIMITED"));
  lines.push_back("Nodes=" + partition_nodes(policy, partition));
  lines.push_back(fmt::format(
      "PriorityJobFactor={} PriorityTier={} RootOnly=NO ReqResv=NO OverSubscribe={}",
      partition.priority_job_factor, partition.priority_tier, oversubscribe_word(partition)));
  lines.push_back(fmt::format("OverTimeLimit={} PreemptMode={}",
                              partition.over_time_limit
                                  ? std::to_string(to_seconds(*partition.over_time_limit) / 60)
                                  : "NONE",
                              preempt_mode_word(preempt_mode_of(policy, partition))));
  const char* states[] = {"UP", "DOWN", "DRAIN", "INACTIVE"};
  lines.push_back(fmt::format("State={} TotalCPUs={} TotalNodes={} SelectTypeParameters={}",
                              states[static_cast<std::size_t>(partition.state)], cpus,
                              partition.nodes.size(),
                              !partition.cpu_unit                       ? "NONE"
                              : *partition.cpu_unit == CpuUnit::kSocket ? "CR_SOCKET"
                                                                        : "CR_CORE"));
  lines.push_back("JobDefaults=" + or_null(format_job_defaults(partition.with_gpu)));
  lines.push_back(fmt::format(
      "{} {}",
      partition.default_mem_per_cpu_mb
          ? fmt::format("DefMemPerCPU={}", *partition.default_mem_per_cpu_mb)
          : fmt::format("DefMemPerNode={}", partition.default_mem_per_node_mb
                                                ? std::to_string(*partition.default_mem_per_node_mb)
                                                : "UNLIMITED"),
      partition.max_mem_per_cpu_mb
          ? fmt::format("MaxMemPerCPU={}", *partition.max_mem_per_cpu_mb)
          : fmt::format("MaxMemPerNode={}", partition.max_mem_per_node_mb
                                                ? std::to_string(*partition.max_mem_per_node_mb)
                                                : "UNLIMITED")));
  lines.push_back("TRES=" + format_tres(total, policy.tres));
  return lines_text(lines, flags);
}

}  // namespace

int print_nodes_json(ShimCall& call) {
  const auto site = fetch_site(*call.engine);
  if (!site) return call.fail(site.error());
  utsname system{};
  ::uname(&system);
  SlurmJson json("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "nodes");
  for (std::size_t i = 0; i < site->policy.nodes.size(); ++i) add_node(json, *site, i, system);
  call.out += json.finish();
  return 0;
}

int show_nodes(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted) {
  const auto site = fetch_site(*call.engine);
  if (!site) return call.fail(site.error());
  std::vector<std::string> names;
  if (wanted.empty()) {
    for (const Node& node : site->policy.nodes) names.push_back(node.name);
  } else {
    const auto hosts = expand_hostlist(wanted);
    if (!hosts) {
      if (!flags.quiet) call.complain(fmt::format("Node {} not found", wanted));
      return 1;
    }
    names = *hosts;
  }
  int code = 0;
  for (const std::string& name : names) {
    const auto id = site->policy.find_node(name);
    if (!id) {
      if (!flags.quiet) call.say(fmt::format("Node {} not found", name));
      code = 1;
      continue;
    }
    call.out += node_text(*site, id->index(), flags);
  }
  return code;
}

int show_partitions(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted) {
  const auto site = fetch_site(*call.engine);
  if (!site) return call.fail(site.error());
  bool found = false;
  for (const Partition& partition : site->policy.partitions) {
    if (!wanted.empty() && partition.name != wanted) continue;
    found = true;
    call.out += partition_text(*site, partition, flags);
  }
  if (found) return 0;
  if (!flags.quiet)
    call.say(wanted.empty() ? "No partitions in the system"
                            : fmt::format("Partition {} not found", wanted));
  return wanted.empty() ? 0 : 1;
}

int show_licenses(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted) {
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  if (policy->licenses.empty()) return call.say("No licenses configured in Slurm."), 0;
  const auto records = call.engine->get("/v1/records?format=json&fields=state,licenses");
  std::map<std::string, std::int64_t> used;
  if (records)
    if (const auto lines = from_json<Lines<RecordLine>>(*records))
      for (const RecordLine& it : lines->lines) {
        if (!holds_nodes(it.state)) continue;
        std::string_view list = it.licenses;
        while (!list.empty()) {
          const std::string_view one = list.substr(0, list.find(','));
          const std::size_t colon = one.find(':');
          used[std::string(one.substr(0, colon))] +=
              colon == std::string_view::npos ? 1 : std::stoll(std::string(one.substr(colon + 1)));
          list.remove_prefix(std::min(one.size() + 1, list.size()));
        }
      }
  for (const License& license : policy->licenses) {
    if (!wanted.empty() && wanted != license.name) continue;
    const std::int64_t taken = used[license.name];
    call.say(fmt::format("LicenseName={}{}Total={} Used={} Free={} Reserved=0 Remote=no",
                         license.name, flags.one_line ? " " : "\n    ", license.count, taken,
                         license.count - taken));
  }
  return 0;
}

}  // namespace sluice
