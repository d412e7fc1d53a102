// sluice queue: who runs, who waits and why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/connection.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "cli/table.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "text/duration.h"
#include "text/memory.h"
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
  bool tasks = false;
  bool records = false;
  bool quiet = false;
  bool json = false;
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

// What is the same on every line tells nothing, and room is dear; `sluice job` has it.
bool differs(const std::vector<QueueLine>& lines, std::string QueueLine::*field) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const QueueLine& line) { return line.*field != lines.front().*field; });
}

std::string table_of(const std::vector<QueueLine>& lines) {
  Table table({{"JOB", Align::kLeft, false},
               {"NAME", Align::kLeft, true},
               {"USER", Align::kLeft, true},
               {"ACCOUNT", Align::kLeft, true},
               {"QOS", Align::kLeft, true},
               {"PARTITION", Align::kLeft, true},
               {"STATE", Align::kLeft, false},
               {"TIME", Align::kRight, false},
               {"LIMIT", Align::kRight, false},
               {"CPUS", Align::kRight, false},
               {"MEMORY", Align::kRight, false},
               {"GPUS", Align::kRight, false},
               {"WHERE OR WHY", Align::kLeft, true}});
  const Instant now = now_here();
  const bool accounts = differs(lines, &QueueLine::account);
  const bool qos = differs(lines, &QueueLine::qos);
  const bool partitions = differs(lines, &QueueLine::partition);
  for (const QueueLine& line : lines)
    table.add({line.id, printable(line.name), line.user, accounts ? line.account : "",
               qos ? line.qos : "", partitions ? line.partition : "", state_text(line),
               line.started ? format_short_duration(line.elapsed) : "",
               line.limit ? format_short_duration(*line.limit) : "", std::to_string(line.cpus),
               format_memory_mb(line.memory_mb, MemoryStyle::kRounded),
               line.gpus > 0 ? std::to_string(line.gpus) : "", place_text(line, now)});
  return table.text(Display::of_stdout());
}

Result<void> run(const Options& options) {
  Target target("/v1/queue");
  target.with("arrays", options.tasks     ? "tasks"
                        : options.records ? "records"
                                          : "")
      .with("job", options.jobs)
      .with("user", options.me ? own_user() : options.user)
      .with("account", options.account)
      .with("partition", options.partition)
      .with("qos", options.qos)
      .with("name", options.name)
      .with("state", options.state);
  TRY(Connection daemon, Connection::open());
  TRY(const std::string body, daemon.get(target.text()));
  if (options.json) {
    fmt::print("{}", body);
    return {};
  }
  TRY(const auto lines, from_json<Lines<QueueLine>>(body));
  if (options.quiet)
    for (const QueueLine& line : lines.lines) fmt::print("{}\n", line.id);
  else if (lines.lines.empty())
    fmt::print("Nothing runs and nothing waits.\n");
  else
    fmt::print("{}", table_of(lines.lines));
  return {};
}

}  // namespace

void add_queue(CLI::App& root, ExitCode& exit_code) {
  CLI::App* verb = root.add_subcommand("queue", "See who runs, who waits and why");
  auto options = std::make_shared<Options>();
  verb->add_option("JOBS", options->jobs, "Only these jobs: 12,15");
  verb->add_flag("--me", options->me, "Only your own jobs");
  verb->add_option("-u,--user", options->user, "Only jobs of these users")->type_name("NAMES");
  verb->add_option("-A,--account", options->account, "Only of these accounts")->type_name("NAMES");
  verb->add_option("-p,--partition", options->partition, "Only in these partitions")
      ->type_name("NAMES");
  verb->add_option("-q,--qos", options->qos, "Only with these QoS")->type_name("NAMES");
  verb->add_option("-n,--name", options->name, "Only jobs of these names")->type_name("NAMES");
  verb->add_option(
          "-t,--states", options->state,
          "Only in these states: R,PD or running,pending; all: those that ended lately too")
      ->type_name("STATES");
  auto* tasks = verb->add_flag("-r,--tasks", options->tasks, "A line for every task of an array");
  verb->add_flag("--records", options->records,
                 "As squeue: one line for the waiting tasks of an array, one for each other")
      ->excludes(tasks);
  verb->add_flag("--quiet", options->quiet, "Job ids only");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice queue\n  sluice queue --me -t PD\n  sluice queue -r 12\n"
      "  sluice queue --json | jq '.lines[] | select(.reason==\"Resources\") | .id'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
