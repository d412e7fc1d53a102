#include "top/views.h"

#include <fmt/format.h>

#include "text/duration.h"
#include "text/memory.h"
#include "text/printable.h"
#include "views/json.h"
#include "views/reason_words.h"

namespace sluice {
namespace {

// A row under construction: cell by cell, with its value where it is a number.
class Cells {
 public:
  explicit Cells(TopRow& row) : row_(row) {}
  Cells& text(std::string_view value) {
    row_.cells.push_back(printable(value));
    row_.values.push_back(kByText);
    return *this;
  }
  Cells& number(std::int64_t value) { return shown(std::to_string(value), value); }
  Cells& shown(std::string text, std::int64_t value) {
    row_.cells.push_back(std::move(text));
    row_.values.push_back(static_cast<double>(value));
    return *this;
  }

 private:
  TopRow& row_;
};

Tone tone_of(JobState state) {
  switch (state) {
    case JobState::kRunning:
    case JobState::kCompleting:
      return Tone::kRun;
    case JobState::kPending:
    case JobState::kSuspended:
      return Tone::kWait;
    case JobState::kCompleted:
      return Tone::kGood;
    case JobState::kCancelled:
      return Tone::kDim;
    default:
      return Tone::kBad;
  }
}

std::string state_text(const QueueLine& line) {
  if (line.tasks <= 1) return std::string(slurm_name(line.state));
  std::string out;
  for (const auto& [count, what] :
       {std::pair(line.running, "run"), {line.waiting, "wait"}, {line.done, "done"}})
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, what);
  return out;
}

std::string reason_of(const QueueLine& line) {
  if (line.waiting == 0 || line.reason.empty()) return line.nodes;
  const std::string words = line.detail.empty() ? words_for_reason(line.reason) : line.detail;
  return line.nodes.empty() ? words : line.nodes + "; " + words;
}

std::int64_t whole(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr && found->is(JsonValue::Kind::kInteger) ? found->integer : 0;
}

std::string text_of(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr ? found->text : std::string();
}

std::string amounts(const JsonValue* tres) {
  std::string out;
  if (tres == nullptr) return out;
  for (const auto& [name, value] : tres->members) {
    if (name == "billing" || name == "node") continue;
    out += fmt::format("{}{}", out.empty() ? "" : " ",
                       name == "mem" ? format_memory_mb(value.integer, MemoryStyle::kRounded)
                                     : fmt::format("{}={}", name, value.integer));
  }
  return out;
}

std::string used_of(std::int64_t free, std::int64_t all) {
  return fmt::format("{}/{}", all - free, all);
}

}  // namespace

TopTable queue_view_table(const std::vector<QueueLine>& lines, Instant now) {
  TopTable table;
  table.columns = {{"JOB", false, true},     {"NAME", false, true},        {"USER", false, true},
                   {"STATE", false, false},  {"TIME", true, false},        {"LIMIT", true, false},
                   {"CPUS", true, false},    {"MEM", true, false},         {"GPU", true, false},
                   {"ACCOUNT", false, true}, {"WHERE OR WHY", false, true}};
  table.state_column = 3;
  table.empty = "Nothing runs and nothing waits.";
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t cpus = 0;
  for (const QueueLine& line : lines) {
    TopRow& row = table.rows.emplace_back();
    row.key = line.array && !line.task ? std::to_string(line.array->value()) : line.id;
    row.opens = line.tasks > 1 ? RowOpens::kTasks : RowOpens::kJob;
    row.cancels = row.key;
    row.tone = line.running > 0 && line.tasks > 1 ? Tone::kRun : tone_of(line.state);
    const Duration ran = line.started ? now - *line.started : Duration(0);
    Cells(row)
        .shown(printable(line.id), line.job.value())
        .text(line.name)
        .text(line.user)
        .text(state_text(line))
        .shown(line.started ? format_short_duration(ran) : "", ran.count())
        .shown(line.limit ? format_short_duration(*line.limit) : "",
               line.limit.value_or(Duration(0)).count())
        .number(line.cpus)
        .shown(format_memory_mb(line.memory_mb, MemoryStyle::kRounded), line.memory_mb)
        .shown(line.gpus > 0 ? std::to_string(line.gpus) : "", line.gpus)
        .text(line.account)
        .text(reason_of(line));
    running += line.running;
    waiting += line.waiting;
    cpus += line.running * line.cpus;
  }
  table.totals = fmt::format("{} running ({} CPUs), {} waiting", running, cpus, waiting);
  return table;
}

TopTable task_view_table(const std::vector<QueueLine>& lines, Instant now) {
  TopTable table = queue_view_table(lines, now);
  table.columns[0].title = "TASK";
  table.empty = "The array is not in the queue any more.";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    TopRow& row = table.rows[i];
    row.opens = RowOpens::kJob;
    // The rest of the array that waits, without its throttle; the array itself would be all of it.
    if (!lines[i].task) row.cancels = lines[i].id.substr(0, lines[i].id.find('%'));
    if (row.cancels.size() < lines[i].id.size()) row.cancels += ']';
    // A task that has ended is history.
    if (has_ended(lines[i].state)) row.cancels.clear();
  }
  return table;
}

TopTable node_view_table(const std::vector<NodeLine>& lines) {
  TopTable table;
  table.columns = {{"NODE", false, true},       {"STATE", false, false},   {"JOBS", true, false},
                   {"CPUS", true, false},       {"MEM FREE", true, false}, {"GPUS", true, false},
                   {"PARTITIONS", false, true}, {"WHY", false, true}};
  table.state_column = 1;
  table.empty = "No nodes.";
  std::int64_t cpus = 0;
  std::int64_t free = 0;
  for (const NodeLine& line : lines) {
    TopRow& row = table.rows.emplace_back();
    row.key = line.name;
    row.tone = line.state == "idle"                                 ? Tone::kGood
               : line.state == "mixed" || line.state == "allocated" ? Tone::kRun
                                                                    : Tone::kBad;
    Cells(row)
        .text(line.name)
        .text(line.state)
        .number(line.jobs)
        .shown(used_of(line.cpus_free, line.cpus), line.cpus - line.cpus_free)
        .shown(format_memory_mb(line.memory_free_mb, MemoryStyle::kRounded), line.memory_free_mb)
        .shown(line.gpus > 0 ? used_of(line.gpus_free, line.gpus) : "", line.gpus - line.gpus_free)
        .text(line.partitions)
        .text(line.why);
    cpus += line.cpus;
    free += line.cpus_free;
  }
  table.totals = fmt::format("{} node{}, {} of {} CPUs in use", lines.size(),
                             lines.size() == 1 ? "" : "s", cpus - free, cpus);
  return table;
}

TopTable pool_view_table(std::string_view json) {
  TopTable table;
  table.columns = {{"POOL", false, true},    {"STATE", false, false}, {"NOW", true, false},
                   {"AT MOST", true, false}, {"MINE", false, true},   {"OTHERS", false, true},
                   {"LIMIT", false, true},   {"WHY", false, true}};
  table.state_column = 1;
  table.empty = "You may use no account here.";
  const auto page = parse_json(json);
  const JsonValue* pools = page ? page->find("pools") : nullptr;
  if (pools == nullptr) return table;
  std::int64_t now = 0;
  for (const JsonValue& pool : pools->items) {
    TopRow& row = table.rows.emplace_back();
    row.key = fmt::format("{}:{}/{}", text_of(pool, "account"), text_of(pool, "qos"),
                          text_of(pool, "device"));
    const std::string left_out = text_of(pool, "left_out");
    const std::int64_t fits = whole(pool, "now");
    row.tone = !left_out.empty() ? Tone::kDim : fits == 0 ? Tone::kWait : Tone::kGood;
    const JsonValue* bound = pool.find("bound_by");
    const std::string why = !left_out.empty()               ? left_out
                            : fits == 0 && bound != nullptr ? text_of(*bound, "text")
                                                            : std::string();
    Cells(row)
        .text(row.key)
        .text(!left_out.empty() ? "left out"
              : fits == 0       ? "full"
                                : "open")
        .number(fits)
        .number(whole(pool, "at_most"))
        .text(amounts(pool.find("mine")))
        .text(amounts(pool.find("others")))
        .text(amounts(pool.find("limits")))
        .text(why);
    now += whole(pool, "now_jointly");
  }
  table.totals = fmt::format("{} pool{}; together {} task{} fit{} now", pools->items.size(),
                             pools->items.size() == 1 ? "" : "s", now, now == 1 ? "" : "s",
                             now == 1 ? "s" : "");
  return table;
}

TopTable chain_view_table(std::string_view json) {
  TopTable table;
  table.columns = {{"CHAIN", false, true}, {"NAME", false, true},     {"STATE", false, false},
                   {"TASKS", true, false}, {"DONE", true, false},     {"RUN", true, false},
                   {"WAIT", true, false},  {"GIVEN UP", true, false}, {"ROUNDS", true, false}};
  table.state_column = 2;
  table.empty = "No chains yet. Start one: sluice submit --chain --array=0-9 job.sh";
  const auto page = parse_json(json);
  const JsonValue* chains = page ? page->find("chains") : nullptr;
  if (chains == nullptr) return table;
  // The newest first.
  for (std::size_t i = chains->items.size(); i-- > 0;) {
    const JsonValue& chain = chains->items[i];
    TopRow& row = table.rows.emplace_back();
    row.key = text_of(chain, "id");
    row.opens = RowOpens::kChain;
    row.cancels = row.key;
    const std::string state = text_of(chain, "state");
    row.tone = whole(chain, "given_up") > 0 ? Tone::kBad
               : state == "active"          ? Tone::kRun
               : state == "ended"           ? Tone::kGood
                                            : Tone::kDim;
    std::int64_t rounds = 0;
    if (const JsonValue* all = chain.find("rounds"))
      for (const JsonValue& round : all->items) rounds = std::max(rounds, whole(round, "round"));
    Cells(row)
        .text(row.key)
        .text(text_of(chain, "name"))
        .text(state)
        .number(whole(chain, "tasks"))
        .number(whole(chain, "completed"))
        .number(whole(chain, "running"))
        .number(whole(chain, "waiting"))
        .number(whole(chain, "given_up"))
        .number(rounds);
  }
  table.totals =
      fmt::format("{} chain{}", chains->items.size(), chains->items.size() == 1 ? "" : "s");
  return table;
}

std::vector<TopLine> job_view_lines(const JobCard& job, const std::optional<WhyCard>& why,
                                    Instant now) {
  const QueueLine& line = job.line;
  std::vector<TopLine> out;
  out.push_back(
      {fmt::format("{} {}  of {}, account {}, QoS {}, partition {}", line.id, printable(line.name),
                   line.user, line.account, line.qos, line.partition)});
  const Instant until = job.ended.value_or(now);
  std::string state = state_text(line);
  if (!line.nodes.empty()) state += " on " + line.nodes;
  if (line.started) state += ", ran " + format_short_duration(until - *line.started);
  if (line.limit) state += " of " + format_short_duration(*line.limit);
  if (job.exit_code && job.ended) state += fmt::format(", exit code {}", *job.exit_code);
  out.push_back({state, tone_of(line.state)});
  std::string asked = "asked " + job.requested;
  if (job.max_rss_kb)
    asked +=
        ", used " + format_memory_mb(*job.max_rss_kb / 1024, MemoryStyle::kRounded) + " memory";
  if (job.gpu_percent)
    asked += fmt::format(", GPU {}% busy, {} in use", *job.gpu_percent,
                         format_memory_mb(job.gpu_memory_mb.value_or(0), MemoryStyle::kRounded));
  out.push_back({asked, Tone::kDim});
  if (!why || line.waiting == 0) return out;
  out.push_back(
      {"waits: " + printable(why->sentence.empty() ? why->reason : why->sentence), Tone::kWait});
  if (!why->arithmetic.empty()) out.push_back({"  " + why->arithmetic, Tone::kWait});
  for (const HolderLine& holder : why->holders)
    out.push_back(
        {fmt::format("  held by {}: {} ({})", holder.user, holder.amount_text, holder.jobs)});
  for (const GateLine& gate : why->gates)
    if (!gate.passed)
      out.push_back(
          {fmt::format("  shut: {} of {}{}", gate.name, gate.holder,
                       gate.limit.empty() ? ""
                                          : fmt::format(" ({} used + {} asked > {})", gate.used,
                                                        gate.asked, gate.limit)),
           Tone::kBad});
  for (const HelpLine& help : why->help)
    out.push_back({fmt::format("  {}{}{}", printable(help.what), help.command.empty() ? "" : ": ",
                               help.command),
                   Tone::kGood});
  return out;
}

}  // namespace sluice
