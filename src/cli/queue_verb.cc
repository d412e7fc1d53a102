// sluice queue: which jobs run, which wait, and why.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/engine_choice.h"
#include "cli/listing.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "text/job_states.h"
#include "text/memory.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::string jobs;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  std::string name;
  std::string state;
  bool me = false;
  bool all = false;
  bool tasks = false;
  bool records = false;
  bool quiet = false;
  std::size_t limit = 0;
  unsigned watch = 0;  // Seconds; 0: once.
  std::string on;
  ListOptions list;
};

std::string state_text(const QueueLine& line) {
  if (line.tasks <= 1) return std::string(slurm_name(line.state));
  std::string out;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, what);
  };
  add(line.running, "running");
  add(line.waiting, "waiting");
  add(line.done, "done");
  return out;
}

std::string place_text(const QueueLine& line, Instant now) {
  std::string out = line.nodes;
  if (line.waiting > 0 && !line.reason.empty()) {
    if (!out.empty()) out += "; ";
    out += line.reason;
    if (!line.detail.empty()) out += fmt::format(" ({})", line.detail);
    if (line.expected && *line.expected > now)
      out += fmt::format(", expected {}", local_time(*line.expected, now));
  }
  return out;
}

// The rows as they come, in columns that people read.
class QueueTable {
 public:
  static Result<QueueTable> open(const ListOptions& options) {
    TRY(ListTable table, ListTable::open({{"JOB", Align::kLeft, false},
                                          {"NAME", Align::kLeft, true},
                                          {"USER", Align::kLeft, true},
                                          {"ACCOUNT", Align::kLeft, true, Narrow::kGoesSecond},
                                          {"QOS", Align::kLeft, true, Narrow::kGoesSecond},
                                          {"PARTITION", Align::kLeft, true, Narrow::kGoesSecond},
                                          {"STATE", Align::kLeft, false},
                                          {"TIME", Align::kRight, false, Narrow::kGoesLast},
                                          {"LIMIT", Align::kRight, false, Narrow::kGoesFirst},
                                          {"CPUS", Align::kRight, false, Narrow::kGoesLast},
                                          {"MEMORY", Align::kRight, false, Narrow::kGoesFirst},
                                          {"GPUS", Align::kRight, false, Narrow::kGoesLast},
                                          {"WHERE OR WHY", Align::kLeft, true, Narrow::kWraps}},
                                         options));
    return QueueTable(std::move(table));
  }
  // What the daemon has to send.
  std::string fields() const {
    std::string out =
        "id,name,user,account,partition,qos,state,reason,detail,nodes,cpus,memory_mb,gpus,limit,"
        "elapsed,started,expected,tasks,waiting,running,done";
    for (const ListField& field : list_.format().more) out += "," + field.name;
    return out;
  }

  // `told` are the fields that are not as in the line above.
  void add(const QueueLine& line, FieldMask told, bool expand) {
    ++lines_;
    running_ += line.running;
    waiting_ += line.waiting;
    if ((told & ~kId) == 0 && line.tasks <= 1 && !line.id.ends_with(']'))
      return list_.table().add_alike(line.id);
    if (expand && line.tasks >= 1 && line.waiting == line.tasks && line.id.ends_with(']'))
      expand_tasks(line);
    Table& table = list_.table();
    const bool one = line.tasks <= 1 || expand;
    // As squeue: a list of tasks that goes on and on is cut.
    constexpr std::size_t kLongestId = 64;
    table.cell(line.id.size() <= kLongestId ? line.id : line.id.substr(0, kLongestId) + "...");
    table.cell(shown(line.name));
    table.cell(line.user);
    table.cell(accounts_.take(line.account));
    table.cell(qos_.take(line.qos));
    table.cell(partitions_.take(line.partition));
    table.cell(one ? slurm_name(line.state) : std::string_view(state_text(line)));
    table.cell(line.started ? format_short_duration(line.elapsed) : "");
    table.cell(line.limit ? format_short_duration(*line.limit) : "");
    table.cell(fmt::format_int(line.cpus).str());
    if (line.memory_mb != memory_mb_) {
      memory_mb_ = line.memory_mb;
      memory_ = format_memory_mb(line.memory_mb, MemoryStyle::kRounded);
    }
    table.cell(memory_);
    table.cell(line.gpus > 0 ? fmt::format_int(line.gpus).str() : "");
    table.cell(place_text(line, now_));
    list_.finish_row(line);
  }
  bool empty() { return list_.table().empty(); }
  // The last line on a terminal: sums of what stands above, and whether that is all.
  std::string totals(std::size_t limit) const {
    std::string out = fmt::format("{} running, {} waiting", running_, waiting_);
    if (limit > 0 && lines_ >= limit)
      out += fmt::format("; the first {} lines only, all of them: --limit 0", limit);
    return out;
  }
  void print() {
    std::vector<std::string> same;
    if (!accounts_.differ) same.emplace_back("ACCOUNT");
    if (!qos_.differ) same.emplace_back("QOS");
    if (!partitions_.differ) same.emplace_back("PARTITION");
    list_.table().leave_out(same);
    list_.print();
  }

 private:
  static constexpr FieldMask kId = 1;  // It stands first.
  explicit QueueTable(ListTable list) : list_(std::move(list)) {}
  // What is the same on every line tells nothing, and room is dear; `sluice job` has it.
  struct Differing {
    std::optional<std::string> first;
    bool differ = false;
    const std::string& take(const std::string& text) {
      if (!first) first = text;
      differ = differ || text != *first;
      return text;
    }
  };
  // The daemon sends the waiting tasks of an array as one row: they differ in their number alone.
  void expand_tasks(const QueueLine& line) {
    const std::size_t bracket = line.id.find("_[");
    if (bracket == std::string::npos) return;
    const std::string_view tasks = std::string_view(line.id).substr(bracket + 2);
    if (const auto spec = parse_array_spec(tasks.substr(0, tasks.find_first_of("%]"))))
      list_.table().add_series(line.id.substr(0, bracket + 1), spec->indices);
  }
  const std::string& shown(const std::string& name) {
    if (name != name_) {
      name_ = name;
      shown_name_ = printable(name);
    }
    return shown_name_;
  }

  ListTable list_;
  Instant now_ = now_here();
  Differing accounts_, qos_, partitions_;
  std::size_t lines_ = 0;
  std::int64_t running_ = 0;
  std::int64_t waiting_ = 0;
  std::int64_t memory_mb_ = -1;
  std::string memory_;
  std::string name_;
  std::string shown_name_;
};

Target target_of(const Options& options) {
  Target target("/v1/queue");
  target.with("job", options.jobs)
      .with("user", options.me ? own_user() : options.user)
      .with("account", options.account)
      .with("partition", options.partition)
      .with("qos", options.qos)
      .with("name", options.name)
      .with("state", options.state)
      .with("limit", options.limit > 0 ? std::to_string(options.limit) : "");
  return target;
}

NameFilters filters_of(const Options& options, const char* engine) {
  return {options.user, options.account, options.partition, options.qos, engine};
}

std::string nothing_there(const Options& options) {
  const bool chosen = options.me || !options.name.empty() || !options.state.empty() ||
                      filters_of(options, "").any();
  if (options.jobs.empty())
    return chosen ? "No such job runs or waits.\n" : "Nothing runs and nothing waits.\n";
  return fmt::format("{0} is not in the queue. Runs that are over: sluice history {0}\n",
                     printable(options.jobs));
}

Result<void> print_once(Connection& daemon, const Options& options) {
  Target target = target_of(options);
  const std::string arrays = options.tasks ? "tasks" : options.records ? "records" : "";
  if (options.quiet && !options.list.json) {
    TRY(const std::string body,
        daemon.get(
            target.with("arrays", arrays).with("format", "tsv").with("fields", "id").text()));
    const std::size_t title = body.find('\n') + 1;
    if (title == body.size()) TRY_VOID(check_names(filters_of(options, "")));
    std::fwrite(body.data() + title, 1, body.size() - title, stdout);
    return {};
  }
  TRY(const bool done, print_listing<QueueLine>(daemon, Target(target).with("arrays", arrays),
                                                options.list, filters_of(options, "")));
  if (done) return {};
  TRY(QueueTable table, QueueTable::open(options.list));
  TRY(const std::string body, daemon.get(target.with("arrays", options.tasks ? "records" : arrays)
                                             .with("format", "ditto")
                                             .with("fields", table.fields())
                                             .text()));
  TRY(auto rows, RowTextReader<QueueLine>::over(body));
  for (QueueLine line; rows.next(line);) table.add(line, rows.told(), options.tasks);
  if (table.empty()) TRY_VOID(check_names(filters_of(options, "")));
  if (table.empty())
    fmt::print("{}", nothing_there(options));
  else
    table.print();
  // Scripts that read the table read every line of it.
  if (!table.empty() && ::isatty(STDOUT_FILENO) == 1)
    fmt::print("{}\n", table.totals(options.limit));
  return {};
}

// Of the names "a,b" one, or none is asked for.
bool is_among(const std::string& names, std::string_view name) {
  if (names.empty()) return true;
  const auto all = split(names, ',');
  return std::find(all.begin(), all.end(), name) != all.end();
}

bool is_wanted(const QueueLine& line, const Options& options, const JobStateList& states) {
  return is_among(options.me ? own_user() : options.user, line.user) &&
         is_among(options.account, line.account) && is_among(options.partition, line.partition) &&
         is_among(options.qos, line.qos) && is_among(options.name, line.name) &&
         is_among(options.jobs, std::to_string(line.array.value_or(line.job).value())) &&
         (states.all || (line.running > 0 && states.contains(JobState::kRunning)) ||
          (line.waiting > 0 && states.contains(JobState::kPending)));
}

Result<void> print_of_slurm(const Options& options) {
  if (options.list.parsable || options.tasks || options.records)
    return bad_input("-P, --tasks and --records are for this machine's queue",
                     "on Slurm: --json, or squeue itself");
  JobStateList states;
  states.all = true;
  if (!options.state.empty()) {
    TRY(states, parse_job_states(options.state));
  }
  TRY(std::vector<QueueLine> lines, elsewhere().queue_of_slurm());
  std::erase_if(lines, [&](const QueueLine& line) { return !is_wanted(line, options, states); });
  if (lines.empty()) TRY_VOID(check_names(filters_of(options, "slurm")));
  if (options.limit > 0 && lines.size() > options.limit) lines.resize(options.limit);
  if (options.list.json) {
    fmt::print("{}\n", to_json(Lines<QueueLine>{"sluice.queue/1", std::move(lines)}));
    return {};
  }
  TRY(QueueTable table, QueueTable::open(options.list));
  for (const QueueLine& line : lines)
    if (options.quiet)
      fmt::print("{}\n", line.id);
    else
      table.add(line, ~FieldMask{0}, false);
  if (options.quiet) return {};
  if (table.empty())
    fmt::print("{}", nothing_there(options));
  else
    table.print();
  if (!table.empty() && ::isatty(STDOUT_FILENO) == 1)
    fmt::print("{}\n", table.totals(options.limit));
  return {};
}

Result<void> run(Options options) {
  if (options.all && options.state.empty()) options.state = "all";
  TRY(const std::string engine, chosen_engine(options.on));
  const bool slurm = engine == "slurm";
  if (slurm && options.watch == 0) return print_of_slurm(options);
  std::optional<Connection> here;
  if (!slurm) {
    TRY(Connection daemon, Connection::open());
    here.emplace(std::move(daemon));
  }
  const auto once = [&] { return slurm ? print_of_slurm(options) : print_once(*here, options); };
  if (options.watch == 0) return once();
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  while (true) {
    // The screen anew, from its top.
    if (terminal) fmt::print("\x1b[H\x1b[2J\x1b[3J");
    if (!options.list.json && !options.list.parsable)
      fmt::print("{}\n", full_local_time(now_here()));
    TRY_VOID(once());
    if (std::fflush(stdout) != 0) return {};
    // Sites forbid asking Slurm more often.
    std::this_thread::sleep_for(
        std::chrono::seconds(slurm ? std::max(5u, options.watch) : options.watch));
  }
}

}  // namespace

void add_queue(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("queue", "See what runs, what waits and why");
  auto options = std::make_shared<Options>();
  verb->add_option("JOBS", options->jobs, "Only these jobs: 12,15");
  verb->add_flag("--me", options->me, "Only your own jobs");
  verb->add_option("-u,--user", options->user, "Only jobs of these users")->type_name("NAMES");
  verb->add_option("-A,--account", options->account, "Only of these accounts")->type_name("NAMES");
  verb->add_option("-p,--partition", options->partition, "Only in these partitions")
      ->type_name("NAMES");
  verb->add_option("-q,--qos", options->qos, "Only with these QoS")->type_name("NAMES");
  verb->add_option("-n,--name", options->name, "Only jobs of these names")->type_name("NAMES");
  verb->add_flag("--all", options->all, "As --states=all: those that ended lately too");
  verb->add_option(
          "-t,--states", options->state,
          "Only in these states: R,PD or running,pending; all: those that ended lately too")
      ->type_name("STATES");
  auto* tasks = verb->add_flag("-r,--tasks", options->tasks, "A line for every task of an array");
  verb->add_flag("--records", options->records,
                 "As squeue: one line for the waiting tasks of an array, one for each other")
      ->excludes(tasks);
  verb->add_flag("-Q,--quiet", options->quiet, "Job ids only");
  verb->add_option("--limit", options->limit, "Only the first N lines; 0: all");
  verb->add_option("--watch", options->watch, "Refresh every SECONDS, until interrupted")
      ->expected(0, 1)
      ->default_str("2")
      ->type_name("SECONDS");
  add_list_options(*verb, options->list);
  add_engine_option(*verb, options->on);
  verb->footer(
      "Examples:\n  sluice queue\n  sluice queue --me -t PD\n  sluice queue -r 12\n"
      "  sluice queue --watch=5\n  sluice queue --format=+priority,-memory\n"
      "  sluice queue -P --format=id,state,reason | grep '|PENDING|'\n"
      "  sluice queue --json | jq '.lines[] | select(.reason==\"Resources\") | .id'");
  verb->callback([options, &exit_code] {
    const auto meant = meant_by(options->jobs);
    if (meant) options->jobs = *meant;
    const auto done = meant ? run(*options) : tl::unexpected(meant.error());
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
