#include "pools/verbs/limits_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/name_filters.h"
#include "cli/own_user.h"
#include "cli/table.h"
#include "pools/routed_cluster.h"
#include "routing/pool.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "views/limit_lines.h"

namespace sluice {
namespace {

struct Options {
  std::string user;
  std::string engine;
  bool json = false;
  bool all = false;
};

struct LimitLines {
  std::string schema = "sluice.limits/1";
  std::string user;
  std::vector<LimitLine> lines;
};
template <class Fields>
void json_fields(Fields& f, Like<LimitLines> auto& it) {
  f("schema", it.schema);
  f("user", it.user);
  f("lines", it.lines);
}

struct QosLine {
  std::string name;
  bool allowed = true;  // The user may name it.
  bool is_default = false;
  std::int64_t priority = 0;
  std::string preempts;
  std::string limits;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::string description;
};
template <class Fields>
void json_fields(Fields& f, Like<QosLine> auto& it) {
  f("name", it.name);
  f("allowed", it.allowed);
  f("default", it.is_default);
  f("priority", it.priority);
  f("preempts", it.preempts);
  f("limits", it.limits);
  f("running", it.running);
  f("waiting", it.waiting);
  f("description", it.description);
}
struct QosLines {
  std::string schema = "sluice.qos/1";
  std::vector<QosLine> lines;
};
template <class Fields>
void json_fields(Fields& f, Like<QosLines> auto& it) {
  f("schema", it.schema);
  f("lines", it.lines);
}

struct PartitionLine {
  std::string name;
  bool is_default = false;
  std::string state;
  std::string nodes;
  std::int64_t cpus = 0;
  std::int64_t cpus_free = 0;
  std::int64_t memory_mb = 0;
  std::int64_t memory_free_mb = 0;
  std::int64_t gpus = 0;
  std::int64_t gpus_free = 0;
  std::optional<Duration> default_time;
  std::optional<Duration> max_time;
  std::string qos;
};
template <class Fields>
void json_fields(Fields& f, Like<PartitionLine> auto& it) {
  f("name", it.name);
  f("default", it.is_default);
  f("state", it.state);
  f("nodes", it.nodes);
  f("cpus", it.cpus);
  f("cpus_free", it.cpus_free);
  f("memory_mb", it.memory_mb);
  f("memory_free_mb", it.memory_free_mb);
  f("gpus", it.gpus);
  f("gpus_free", it.gpus_free);
  f("default_time", it.default_time);
  f("max_time", it.max_time);
  f("qos", it.qos);
}
struct PartitionLines {
  std::string schema = "sluice.partitions/1";
  std::vector<PartitionLine> lines;
};
template <class Fields>
void json_fields(Fields& f, Like<PartitionLines> auto& it) {
  f("schema", it.schema);
  f("lines", it.lines);
}

Result<Description> look(const Options& options) {
  TRY(const std::string engine, chosen_engine(options.engine));
  if (engine == "slurm" && !options.user.empty()) return this_slurm()->describe_for(options.user);
  TRY(RoutedCluster on, open_cluster(options.engine));
  return on.cluster->describe();
}

Result<void> show_limits(const Options& options) {
  NameFilters named;
  named.users = options.user;
  TRY(named.engine, chosen_engine(options.engine));
  TRY_VOID(check_names(named));
  TRY(const Description seen, look(options));
  LimitLines all;
  all.user = options.user.empty() ? seen.user : options.user;
  all.lines = limits_on(seen, all.user);
  if (options.json) {
    fmt::print("{}\n", to_json(all));
    return {};
  }
  const auto accounts = accounts_of_user(*seen.policy, all.user);
  if (!seen.policy->enforce.limits && !all.lines.empty())
    fmt::print("These are written down but not enforced: the policy's enforce lacks limits.\n");
  if (!options.user.empty() && accounts.empty() && !seen.policy->find_user(all.user))
    fmt::print("The policy does not know a user {}; these bind every user.\n", printable(all.user));
  if (all.lines.empty()) {
    fmt::print("No limits bind {}{}; the machines themselves do: sluice nodes\n", all.user,
               accounts.empty() ? " (the user has no account in a policy)" : "");
    return {};
  }
  Table table({{"OF", Align::kLeft, true},
               {"LIMIT", Align::kLeft, false},
               {"COUNTS", Align::kLeft, false, Narrow::kGoesFirst},
               {"AT MOST", Align::kRight, false},
               {"USED", Align::kRight, false},
               {"", Align::kRight, false}});
  for (const LimitLine& line : all.lines)
    table.add({line.of, line.name,
               line.counts == "you" && all.user != own_user() ? all.user : line.counts, line.limit,
               line.used,
               line.used.empty()     ? ""
               : line.percent >= 100 ? "full"
                                     : fmt::format("{}%", line.percent)});
  table.print(Display::of_stdout(), stdout);
  return {};
}

std::string limits_text(const std::vector<LimitLine>& lines, const std::string& qos) {
  std::string out;
  for (const LimitLine& line : lines)
    if (line.of == "QoS " + qos)
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", line.name, line.limit);
  return out;
}

Result<void> show_qos(const Options& options) {
  TRY(const Description seen, look(options));
  const Policy& policy = *seen.policy;
  const std::string user = options.user.empty() ? seen.user : options.user;
  const std::vector<QosId> own = qos_of(policy, user);
  const std::vector<LimitLine> limits = limits_on(seen, user);
  std::vector<QosId> defaults;
  for (std::size_t i = 0; i < policy.associations.size(); ++i)
    if (policy.associations[i].user == user && !user.empty())
      for (std::optional<AssocId> at = AssocId(static_cast<std::uint32_t>(i)); at;
           at = policy.associations[at->index()].parent)
        if (policy.associations[at->index()].default_qos) {
          defaults.push_back(*policy.associations[at->index()].default_qos);
          break;
        }
  QosLines all;
  for (std::size_t i = 0; i < policy.qos.size(); ++i) {
    const Qos& it = policy.qos[i];
    const QosId id(static_cast<std::uint32_t>(i));
    QosLine line;
    line.name = it.name;
    line.allowed = std::find(own.begin(), own.end(), id) != own.end();
    if (!line.allowed && !options.all && !options.json) continue;
    line.is_default = std::find(defaults.begin(), defaults.end(), id) != defaults.end();
    line.priority = it.priority;
    for (const QosId other : it.preempt)
      line.preempts += (line.preempts.empty() ? "" : ",") + policy.qos[other.index()].name;
    line.limits = limits_text(limits, it.name);
    if (i < seen.qos.size()) {
      line.running = seen.qos[i].jobs;
      line.waiting = std::max<std::int64_t>(0, seen.qos[i].submitted - seen.qos[i].jobs);
    }
    line.description = it.description;
    all.lines.push_back(std::move(line));
  }
  if (options.json) {
    fmt::print("{}\n", to_json(all));
    return {};
  }
  if (all.lines.empty()) {
    fmt::print("{} may use no QoS.\n", user);
    return {};
  }
  Table table({{"QOS", Align::kLeft, true},
               {"PRIORITY", Align::kRight, false, Narrow::kGoesLast},
               {"RUNNING", Align::kRight, false, Narrow::kGoesFirst},
               {"WAITING", Align::kRight, false, Narrow::kGoesFirst},
               {"PREEMPTS", Align::kLeft, true, Narrow::kGoesSecond},
               {"LIMITS", Align::kLeft, false, Narrow::kWraps}});
  for (const QosLine& line : all.lines)
    table.add({line.name + (line.is_default ? " (default)"
                            : line.allowed  ? ""
                                            : " (not yours)"),
               std::to_string(line.priority), std::to_string(line.running),
               std::to_string(line.waiting), line.preempts,
               line.limits.empty() ? line.description : line.limits});
  table.print(Display::of_stdout(), stdout);
  if (all.lines.size() < policy.qos.size())
    fmt::print("There are others that {} may not use: sluice qos --all\n", user);
  return {};
}

Result<void> show_partitions(const Options& options) {
  TRY(const Description seen, look(options));
  const Policy& policy = *seen.policy;
  PartitionLines all;
  for (std::uint32_t i = 0; i < policy.partitions.size(); ++i) {
    if (!is_listed(seen, PartitionId(i))) continue;
    const Partition& it = policy.partitions[i];
    constexpr const char* kStates[] = {"up", "down", "drain", "inactive"};
    PartitionLine line;
    line.name = it.name;
    line.is_default = it.is_default;
    line.state = kStates[static_cast<std::size_t>(it.state)];
    line.default_time = it.default_time;
    line.max_time = it.max_time;
    if (it.qos) line.qos = policy.qos[it.qos->index()].name;
    std::vector<std::string> names;
    for (const NodeId id : it.nodes) {
      const Node& node = policy.nodes[id.index()];
      names.push_back(node.name);
      line.cpus += node.cpus;
      line.memory_mb += node.memory_mb;
      line.gpus += static_cast<std::int64_t>(node.gpus.size());
      if (id.index() >= seen.nodes.size() || !seen.nodes[id.index()].usable) continue;
      const NodeRoom& room = seen.nodes[id.index()];
      line.cpus_free += room.free_cpus;
      line.memory_free_mb += room.free_memory_mb;
      line.gpus_free += static_cast<std::int64_t>(room.free_gpus.size());
    }
    line.nodes = compress_hostlist(names);
    all.lines.push_back(std::move(line));
  }
  if (options.json) {
    fmt::print("{}\n", to_json(all));
    return {};
  }
  Table table({{"PARTITION", Align::kLeft, true},
               {"STATE", Align::kLeft, false},
               {"CPUS FREE", Align::kRight, false},
               {"MEMORY FREE", Align::kRight, false},
               {"GPUS FREE", Align::kRight, false},
               {"USUAL TIME", Align::kRight, false, Narrow::kGoesFirst},
               {"MOST TIME", Align::kRight, false, Narrow::kGoesLast},
               {"QOS", Align::kLeft, true, Narrow::kGoesSecond},
               {"NODES", Align::kLeft, false, Narrow::kWraps}});
  const auto of = [](std::int64_t free, std::int64_t total) {
    return total > 0 ? fmt::format("{} of {}", free, total) : std::string();
  };
  for (const PartitionLine& line : all.lines)
    table.add({line.name + (line.is_default ? " (default)" : ""), line.state,
               of(line.cpus_free, line.cpus),
               fmt::format("{} of {}", format_memory_mb(line.memory_free_mb, MemoryStyle::kRounded),
                           format_memory_mb(line.memory_mb, MemoryStyle::kRounded)),
               of(line.gpus_free, line.gpus),
               line.default_time ? format_friendly_duration(*line.default_time) : "",
               line.max_time ? format_friendly_duration(*line.max_time) : "no limit", line.qos,
               line.nodes});
  table.print(Display::of_stdout(), stdout);
  return {};
}

Command* add(Command& root, ExitCode& exit_code, const char* name, const char* what,
             Result<void> (*show)(const Options&), const std::shared_ptr<Options>& options) {
  Command* verb = root.add_subcommand(name, what);
  verb->add_flag("--json", options->json, "As JSON");
  add_engine_option(*verb, options->engine);
  verb->callback([options, show, &exit_code] {
    const auto done = show(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
  return verb;
}

}  // namespace

Result<KnownNames> known_names(const std::string& engine) {
  TRY(const RoutedCluster on, open_cluster(engine.empty() ? "embedded" : engine));
  TRY(const Description seen, on.cluster->describe());
  const Policy& policy = *seen.policy;
  KnownNames out;
  std::set<std::string> users;
  std::set<std::string> accounts;
  for (const User& each : policy.users) users.insert(each.name);
  for (const Association& each : policy.associations) {
    if (!each.user.empty()) users.insert(each.user);
    accounts.insert(each.account);
  }
  out.users.assign(users.begin(), users.end());
  out.accounts.assign(accounts.begin(), accounts.end());
  for (const Partition& each : policy.partitions) out.partitions.push_back(each.name);
  for (const Qos& each : policy.qos) out.qos.push_back(each.name);
  return out;
}

void add_limits(Command& root, ExitCode& exit_code) {
  auto options = std::make_shared<Options>();
  Command* verb =
      add(root, exit_code, "limits", "See which limits bind you, and how much of each is used",
          &show_limits, options);
  verb->add_option("-u,--user", options->user, "Another user's")->type_name("NAME");
  verb->footer(
      "COUNTS says whose jobs count together: yours, those of an account, or those of all "
      "users.\n\n"
      "Examples:\n  sluice limits\n  sluice limits --on slurm\n"
      "  sluice limits --json | jq '.lines[] | select(.percent >= 80)'");
}

void add_qos(Command& root, ExitCode& exit_code) {
  auto options = std::make_shared<Options>();
  Command* verb = add(root, exit_code, "qos", "See the QoS that you may use: limits, priority",
                      &show_qos, options);
  verb->add_flag("--all", options->all, "Also those that you may not use");
  verb->footer("Examples:\n  sluice qos\n  sluice qos --all\n  sluice qos --on slurm --json");
}

void add_partitions(Command& root, ExitCode& exit_code) {
  auto options = std::make_shared<Options>();
  Command* verb = add(root, exit_code, "partitions", "See the partitions, and what is free in them",
                      &show_partitions, options);
  verb->footer("Examples:\n  sluice partitions\n  sluice partitions --on slurm --json");
}

}  // namespace sluice
