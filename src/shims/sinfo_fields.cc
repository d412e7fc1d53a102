#include "shims/sinfo_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shims/words.h"
#include "text/hostlist.h"
#include "text/oversubscribe.h"
#include "text/scan.h"

namespace sluice {
namespace {

using G = NodeGroup;

const Node& node_of(const G& g, std::size_t i) { return g.site->policy.nodes[g.nodes[i]]; }
const NodeLine& line_of(const G& g, std::size_t i) { return g.site->nodes[g.nodes[i]]; }
std::string number(std::int64_t value) { return std::to_string(value); }

// "4", or "4+" where some have more.
template <class Value>
std::string at_least(const G& g, Value value) {
  std::int64_t least = value(node_of(g, 0));
  bool more = false;
  for (std::size_t i = 1; i < g.nodes.size(); ++i) {
    const std::int64_t own = value(node_of(g, i));
    more = more || own != least;
    least = std::min(least, own);
  }
  return number(least) + (more ? "+" : "");
}

std::int64_t cores_of(const Node& node) {
  return std::max<std::int64_t>(1, node.cpus / std::max(1, node.sockets * node.threads_per_core));
}

bool is_out(std::string_view state) { return state == "down" || state == "drained"; }

struct Counts {
  std::int64_t taken = 0;
  std::int64_t idle = 0;
  std::int64_t other = 0;
  std::int64_t total = 0;
};
Counts cpu_counts(const G& g) {
  Counts out;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NodeLine& line = line_of(g, i);
    const std::int64_t taken = line.cpus - line.cpus_free;
    out.taken += taken;
    if (is_out(line.state) || line.state == "draining")
      out.other += line.cpus_free;
    else
      out.idle += line.cpus_free;
    out.total += line.cpus;
  }
  return out;
}
Counts node_counts(const G& g) {
  Counts out;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const std::string& state = line_of(g, i).state;
    if (is_out(state))
      ++out.other;
    else if (state == "idle")
      ++out.idle;
    else
      ++out.taken;
    ++out.total;
  }
  return out;
}
std::string all_counts(const Counts& c) {
  return fmt::format("{}/{}/{}/{}", c.taken, c.idle, c.other, c.total);
}

std::string names(const G& g) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) out.push_back(node_of(g, i).name);
  sort_hosts(out);
  return compress_hostlist(out);
}

std::string used_gres(const G& g) { return gres_used(node_of(g, 0), line_of(g, 0)); }

std::string groups(const G& g) {
  const auto& allowed = g.partition->allow_groups;
  return allowed.empty() ? "all" : fmt::format("{}", fmt::join(allowed, ","));
}

std::string limit_text(const std::optional<Duration>& limit, std::string_view none) {
  return limit ? format_short_duration(*limit) : std::string(none);
}

std::string features(const G& g) {
  const auto& own = node_of(g, 0).features;
  return own.empty() ? "(null)" : fmt::format("{}", fmt::join(own, ","));
}

std::string avail(const G& g) {
  switch (g.partition->state) {
    case PartitionState::kUp:
      return "up";
    case PartitionState::kDown:
      return "down";
    case PartitionState::kDrain:
      return "drain";
    case PartitionState::kInactive:
      return "inact";
  }
  return "up";
}

std::string size_text(const G& g) {
  const std::int32_t least = std::max(1, g.partition->min_nodes);
  if (!g.partition->max_nodes) return fmt::format("{}-infinite", least);
  return least == *g.partition->max_nodes ? number(least)
                                          : fmt::format("{}-{}", least, *g.partition->max_nodes);
}

std::string sockets(const G& g) {
  return at_least(g, [](const Node& n) { return std::int64_t{n.sockets}; });
}
std::string cores(const G& g) { return at_least(g, cores_of); }
std::string threads(const G& g) {
  return at_least(g, [](const Node& n) { return std::int64_t{n.threads_per_core}; });
}
std::string share(const G& g) { return oversubscribe_word(*g.partition); }
std::string state_long(const G& g) { return line_of(g, 0).state; }
std::string state_compact(const G& g) { return compact_state(line_of(g, 0).state); }
std::string null(const G&) { return "(null)"; }
std::string reason(const G& g) {
  return line_of(g, 0).why.empty() ? "none" : shown(line_of(g, 0).why);
}
std::string user_text(const G& g) {
  return line_of(g, 0).by.empty() ? "Unknown" : line_of(g, 0).by;
}
std::string user_long(const G& g) {
  const std::string& by = line_of(g, 0).by;
  return by.empty() ? "Unknown" : fmt::format("{}({})", by, uid_text(by));
}
std::string allocated_memory(const G& g) {
  return number(line_of(g, 0).memory_mb - line_of(g, 0).memory_free_mb);
}

// clang-format off
constexpr auto kFields = std::to_array<SinfoField>({
    {"available", 'a', "AVAIL", avail},
    {"features_act", 'b', "ACTIVE_FEATURES", features, true},
    {"cpus", 'c', "CPUS", [](const G& g) { return at_least(g, [](const Node& n) { return std::int64_t{n.cpus}; }); }},
    {"disk", 'd', "TMP_DISK", [](const G&) { return std::string("0"); }},
    {"freemem", 'e', "FREE_MEM", [](const G&) { return number(host_free_mb()); }},
    {"features", 'f', "AVAIL_FEATURES", features, true},
    {"groups", 'g', "GROUPS", groups},
    {"oversubscribe", 'h', "OVERSUBSCRIBE", share},
    {"share", '\0', "OVERSUBSCRIBE", share},
    {"time", 'l', "TIMELIMIT", [](const G& g) { return limit_text(g.partition->max_time, "infinite"); }},
    {"memory", 'm', "MEMORY", [](const G& g) { return at_least(g, [](const Node& n) { return n.memory_mb; }); }},
    {"nodehost", 'n', "HOSTNAMES", [](const G&) { return host_name(); }},
    {"nodeaddr", 'o', "NODE_ADDR", [](const G&) { return host_name(); }},
    {"prioritytier", 'p', "PRIO_TIER", [](const G& g) { return number(g.partition->priority_tier); }},
    {"root", 'r', "ROOT", [](const G&) { return std::string("no"); }},
    {"size", 's', "JOB_SIZE", size_text},
    {"statecompact", 't', "STATE", state_compact, true},
    {"user", 'u', "USER", user_text, true},
    {"version", 'v', "VERSION", [](const G&) { return std::string("22.05.8"); }},
    {"weight", 'w', "WEIGHT", [](const G& g) { return at_least(g, [](const Node& n) { return std::int64_t{n.weight}; }); }},
    {"socketcorethread", 'z', "S:C:T", [](const G& g) { return sockets(g) + ":" + cores(g) + ":" + threads(g); }},
    {"nodeai", 'A', "NODES(A/I)", [](const G& g) { const Counts c = node_counts(g); return fmt::format("{}/{}", c.taken, c.idle); }},
    {"maxcpuspernode", 'B', "MAX_CPUS_PER_NODE", [](const G& g) { return g.partition->max_cpus_per_node ? number(*g.partition->max_cpus_per_node) : "UNLIMITED"; }},
    {"cpusstate", 'C', "CPUS(A/I/O/T)", [](const G& g) { return all_counts(cpu_counts(g)); }},
    {"nodes", 'D', "NODES", [](const G& g) { return std::to_string(g.nodes.size()); }},
    {"reason", 'E', "REASON", reason, true},
    {"nodeaiot", 'F', "NODES(A/I/O/T)", [](const G& g) { return all_counts(node_counts(g)); }},
    {"gres", 'G', "GRES", [](const G& g) { return or_null(gres_of(node_of(g, 0))); }, true},
    {"timestamp", 'H', "TIMESTAMP", [](const G& g) { return time_text(line_of(g, 0).since, "Unknown"); }, true},
    {"priorityjobfactor", 'I', "PRIO_JOB_FACTOR", [](const G& g) { return number(g.partition->priority_job_factor); }},
    {"defaulttime", 'L', "DEFAULTTIME", [](const G& g) { return limit_text(g.partition->default_time, "n/a"); }},
    {"preemptmode", 'M', "PREEMPT_MODE", [](const G& g) { return std::string(preempt_mode_word(preempt_mode_of(g.site->policy, *g.partition))); }},
    {"nodelist", 'N', "NODELIST", names},
    {"cpusload", 'O', "CPU_LOAD", [](const G&) { return fmt::format("{:.2f}", host_load()); }},
    {"partition", 'P', "PARTITION", [](const G& g) { return g.partition->name + (g.partition->is_default ? "*" : ""); }},
    {"partitionname", 'R', "PARTITION", [](const G& g) { return g.partition->name; }},
    {"allocnodes", 'S', "ALLOCNODES", [](const G&) { return std::string("all"); }},
    {"statelong", 'T', "STATE", state_long, true},
    {"userlong", 'U', "USER", user_long, true},
    {"cluster", 'V', "CLUSTER", [](const G&) { return std::string("N/A"); }},
    {"sockets", 'X', "SOCKETS", sockets},
    {"cores", 'Y', "CORES", cores},
    {"threads", 'Z', "THREADS", threads},
    {"allocmem", '\0', "ALLOCMEM", allocated_memory, true},
    {"comment", '\0', "COMMENT", null},
    {"extra", '\0', "EXTRA", null},
    {"gresused", '\0', "GRES_USED", used_gres, true},
    {"port", '\0', "PORT", [](const G&) { return std::string("0"); }},
    {"statecomplete", '\0', "STATECOMPLETE", state_long, true},
    {"nodelist", '\0', "NODELIST", names},
    {"nodesaiot", '\0', "NODES(A/I/O/T)", [](const G& g) { return all_counts(node_counts(g)); }},
});
// clang-format on

}  // namespace

std::string compact_state(std::string_view state) {
  if (state == "mixed") return "mix";
  if (state == "allocated") return "alloc";
  if (state == "draining") return "drng";
  if (state == "drained") return "drain";
  return std::string(state);
}

int state_number(std::string_view state) {
  if (state == "down") return 1;
  if (state == "idle") return 2;
  if (state == "allocated") return 3;
  if (state == "mixed") return 5;
  // A flag above the states proper.
  return state == "drained" ? 0x202 : 0x203;
}

std::span<const SinfoField> sinfo_fields() { return kFields; }

const SinfoField* sinfo_field(char letter) {
  for (const SinfoField& field : kFields)
    if (field.letter == letter && letter != '\0') return &field;
  return nullptr;
}

const SinfoField* sinfo_field(std::string_view name) {
  for (const SinfoField& field : kFields)
    if (same_ignoring_case(field.name, name)) return &field;
  return nullptr;
}

}  // namespace sluice
