#include "views/metrics_text.h"

#include <fmt/format.h>

#include <array>

#include "views/json.h"

namespace sluice {
namespace {

// Of a label's value.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

struct StateMetric {
  std::string_view name;
  JobState state;
};
constexpr std::array kStates = {
    StateMetric{"pending", JobState::kPending},
    StateMetric{"running", JobState::kRunning},
    StateMetric{"suspended", JobState::kSuspended},
    StateMetric{"completing", JobState::kCompleting},
    StateMetric{"completed", JobState::kCompleted},
    StateMetric{"cancelled", JobState::kCancelled},
    StateMetric{"failed", JobState::kFailed},
    StateMetric{"timeout", JobState::kTimeout},
    StateMetric{"outofmemory", JobState::kOutOfMemory},
    StateMetric{"preempted", JobState::kPreempted},
    StateMetric{"deadline", JobState::kDeadline},
    StateMetric{"node_failed", JobState::kNodeFail},
};

// Jobs that wait and run of one user, account or partition.
struct Counts {
  std::int64_t pending = 0;
  std::int64_t running = 0;
};

void add_holders(MetricsText& out, std::string_view what, std::string_view label,
                 const std::map<std::string, Counts>& holders) {
  out.family(fmt::format("slurm_{}_jobs_pending", what),
             fmt::format("Pending jobs of the {}", what));
  for (const auto& [name, counts] : holders) out.sample({{label, name}}, counts.pending);
  out.family(fmt::format("slurm_{}_jobs_running", what),
             fmt::format("Running jobs of the {}", what));
  for (const auto& [name, counts] : holders) out.sample({{label, name}}, counts.running);
}

void add_nodes(MetricsText& out, std::span<const NodeLine> nodes) {
  std::map<std::string_view, std::int64_t> states = {
      {"alloc", 0}, {"down", 0}, {"drain", 0}, {"idle", 0}, {"mixed", 0}};
  NodeLine sum;
  for (const NodeLine& node : nodes) {
    const std::string_view given = node.state;
    std::string_view state = states.contains(given) ? given : "down";
    if (given == "allocated") state = "alloc";
    if (given.starts_with("drain")) state = "drain";
    ++states[state];
    sum.cpus += node.cpus;
    sum.cpus_free += node.cpus_free;
    sum.memory_mb += node.memory_mb;
    sum.memory_free_mb += node.memory_free_mb;
    sum.gpus += node.gpus;
    sum.gpus_free += node.gpus_free;
  }
  const auto one = [&](std::string_view name, std::string_view help, std::int64_t value) {
    out.family(name, help);
    out.sample({}, value);
  };
  one("slurm_nodes", "Nodes", static_cast<std::int64_t>(nodes.size()));
  for (const auto& [state, count] : states)
    one(fmt::format("slurm_nodes_{}", state), fmt::format("Nodes in the state {}", state), count);
  one("sluice_cpus", "CPUs of all nodes", sum.cpus);
  one("sluice_cpus_used", "CPUs that jobs hold", sum.cpus - sum.cpus_free);
  constexpr std::int64_t kMegabyte = 1 << 20;
  one("sluice_memory_bytes", "Memory of all nodes", sum.memory_mb * kMegabyte);
  one("sluice_memory_used_bytes", "Memory that jobs hold",
      (sum.memory_mb - sum.memory_free_mb) * kMegabyte);
  one("sluice_gpus", "GPUs of all nodes", sum.gpus);
  one("sluice_gpus_used", "GPUs that jobs hold", sum.gpus - sum.gpus_free);
}

std::string_view text_of(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr ? std::string_view(found->text) : std::string_view();
}

}  // namespace

void MetricsText::family(std::string_view name, std::string_view help, MetricKind kind) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                       kind == MetricKind::kGauge ? "gauge" : "counter");
}

void MetricsText::sample(Labels labels, std::int64_t value) {
  text_ += name_;
  char mark = '{';
  for (const auto& [label, text] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", mark, label, escaped(text));
    mark = ',';
  }
  text_ += fmt::format("{} {}\n", labels.size() > 0 ? "}" : "", value);
  if (!samples_.empty()) samples_ += ',';
  JsonWriter writer(samples_);
  writer.begin_object();
  writer.key("name");
  writer.text(name_);
  writer.key("labels");
  writer.begin_object();
  for (const auto& [label, text] : labels) {
    writer.key(label);
    writer.text(text);
  }
  writer.end_object();
  writer.key("value");
  writer.number(value);
  writer.end_object();
}

std::string MetricsText::json() const {
  return "{\"schema\":\"sluice.metrics/1\",\"samples\":[" + samples_ + "]}\n";
}

void add_cluster_metrics(MetricsText& out, std::span<const QueueLine> jobs,
                         std::span<const NodeLine> nodes) {
  std::map<JobState, std::int64_t> states;
  std::map<std::string, Counts> users;
  std::map<std::string, Counts> accounts;
  std::map<std::string, Counts> partitions;
  std::int64_t all = 0;
  for (const QueueLine& job : jobs) {
    const std::int64_t tasks = std::max<std::int64_t>(1, job.tasks);
    states[job.state] += tasks;
    all += tasks;
    if (job.state != JobState::kPending && job.state != JobState::kRunning) continue;
    for (Counts* of : {&users[job.user], &accounts[job.account], &partitions[job.partition]})
      (job.state == JobState::kPending ? of->pending : of->running) += tasks;
  }
  out.family("slurm_jobs", "Jobs that are known, those that ended lately too");
  out.sample({}, all);
  for (const StateMetric& one : kStates) {
    out.family(fmt::format("slurm_jobs_{}", one.name),
               fmt::format("Jobs in the state {}", one.name));
    out.sample({}, states[one.state]);
  }
  add_holders(out, "user", "username", users);
  add_holders(out, "account", "account", accounts);
  add_holders(out, "partition", "partition", partitions);
  add_nodes(out, nodes);
}

void add_pool_metrics(MetricsText& out, std::string_view json) {
  const auto page = parse_json(json);
  const JsonValue* pools = page ? page->find("pools") : nullptr;
  if (pools == nullptr) return;
  const auto each = [&](std::string_view name, std::string_view help,
                        std::initializer_list<std::string_view> parts) {
    out.family(name, help);
    for (const JsonValue& pool : pools->items) {
      std::map<std::string, std::int64_t> sums;
      for (const std::string_view part : parts)
        if (const JsonValue* amounts = pool.find(part))
          for (const auto& [resource, amount] : amounts->members)
            if (amount.is(JsonValue::Kind::kInteger)) sums[resource] += amount.integer;
      for (const auto& [resource, amount] : sums)
        out.sample({{"account", text_of(pool, "account")},
                    {"qos", text_of(pool, "qos")},
                    {"device", text_of(pool, "device")},
                    {"resource", resource}},
                   amount);
    }
  };
  each("sluice_pool_limit", "What the pool may hold at most; memory in megabytes", {"limits"});
  each("sluice_pool_used", "What all users hold of the pool; memory in megabytes",
       {"mine", "others"});
  out.family("sluice_pool_headroom", "Tasks of the usual size that the pool takes now");
  for (const JsonValue& pool : pools->items)
    if (const JsonValue* now = pool.find("now"); now && now->is(JsonValue::Kind::kInteger))
      out.sample({{"account", text_of(pool, "account")},
                  {"qos", text_of(pool, "qos")},
                  {"device", text_of(pool, "device")}},
                 now->integer);
}

RetriesByCause retries_of(const ChainView& chain) {
  RetriesByCause out;
  for (const ChainRow& row : chain.rows) {
    out["out_of_memory"] += static_cast<std::int64_t>(row.out_of_memory);
    out["timeout"] += static_cast<std::int64_t>(row.timeout);
    out["interrupted"] += static_cast<std::int64_t>(row.interrupted);
    out["failed"] += static_cast<std::int64_t>(row.failed);
  }
  // What was given up was not tried again.
  for (const GivenUpRow& row : chain.given_up) {
    std::int64_t& cause = out[row.state == "OUT_OF_MEMORY" ? "out_of_memory"
                              : row.state == "TIMEOUT"     ? "timeout"
                                                           : "failed"];
    if (cause > 0) --cause;
  }
  return out;
}

void add_chain_metrics(MetricsText& out, std::span<const ChainView> chains,
                       const RetriesByCause& before) {
  std::map<std::string_view, std::size_t> chain_states = {
      {"active", 0}, {"stopped", 0}, {"cancelled", 0}, {"ended", 0}};
  Audit sum;
  RetriesByCause causes = {{"out_of_memory", 0}, {"timeout", 0}, {"interrupted", 0}, {"failed", 0}};
  for (const auto& [cause, count] : before)
    if (const auto known = causes.find(cause); known != causes.end()) known->second += count;
  for (const ChainView& chain : chains) {
    ++chain_states[chain.state];
    sum.completed += chain.sum.completed;
    sum.given_up += chain.sum.given_up;
    sum.running += chain.sum.running;
    sum.waiting += chain.sum.waiting;
    for (const auto& [cause, count] : retries_of(chain)) causes[cause] += count;
  }
  out.family("sluice_chains", "Chains of this user by state");
  for (const auto& [state, count] : chain_states)
    out.sample({{"state", state}}, static_cast<std::int64_t>(count));
  out.family("sluice_chain_tasks", "Tasks of all chains of this user by state");
  for (const auto& [state, count] :
       {std::pair<std::string_view, std::size_t>{"completed", sum.completed},
        {"given_up", sum.given_up},
        {"running", sum.running},
        {"waiting", sum.waiting}})
    out.sample({{"state", state}}, static_cast<std::int64_t>(count));
  out.family("sluice_retries_total", "Tasks that were tried again, by what ended them",
             MetricKind::kCounter);
  for (const auto& [cause, count] : causes) out.sample({{"cause", cause}}, count);
}

}  // namespace sluice
