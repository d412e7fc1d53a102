// sluice list, status, report and audit: what is known about chains.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "chains/task_output.h"
#include "cli/command.h"
#include "cli/elsewhere.h"
#include "cli/job_status.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "host/files/files.h"
#include "ledger/record.h"
#include "policyfile/read/value.h"
#include "pools/chain_context.h"
#include "pools/routing_context.h"
#include "pools/verbs/chain_verb.h"
#include "text/job_reference.h"
#include "text/past_time.h"
#include "text/printable.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr Duration kPatience = seconds(20);

// As it stands, after a look at the cluster. What cannot be reached now is a note.
Result<ChainView> looked_at(const std::string& id, bool look) {
  TRY(auto open, OpenChain::open(chain_ports(), id, kPatience));
  std::vector<std::string> notes;
  if (look && open->chain().state != ChainState::kEnded) {
    open->attend();
    const auto progress = open->step();
    if (!progress)
      notes.push_back(fmt::format("The cluster could not be asked: {}", progress.error().what));
    else
      notes = progress->notes;
    if (progress && progress->uncertain)
      notes.emplace_back("A submission had no answer; it is looked for.");
  }
  TRY(ChainView view, open->view());
  view.notes = std::move(notes);
  return view;
}

ExitCode exit_of(const ChainView& view) {
  return view.state == "ended" && view.sum.given_up > 0 ? ExitCode::kWorkFailed : ExitCode::kDone;
}

struct StatusOptions {
  std::string chain = "last";
  bool json = false;
  std::optional<std::int64_t> watch;  // 0: as often as is polite.
};

// A chain, or a job or array of this machine; `last` is whatever was submitted last.
ExitCode status(const StatusOptions& options) {
  const auto meant = meant_by(options.chain);
  if (!meant) return report(meant.error());
  if (const auto jobs = split(*meant, ','); options.chain == "last" && jobs.size() > 1) {
    if (options.watch)
      return report(Error{ErrorKind::kBadInput,
                          fmt::format("the last submission is the jobs {}", *meant),
                          {},
                          "watch one of them, or all: sluice queue --watch"});
    ExitCode worst = ExitCode::kDone;
    for (const std::string_view job : jobs) {
      const auto shown = show_job_status({std::string(job), options.json, {}});
      worst = std::max(worst, shown ? *shown : report(shown.error()));
    }
    return worst;
  }
  if (!is_chain_id(*meant) && parse_job_reference(*meant)) {
    const auto shown = show_job_status({*meant, options.json, options.watch});
    return shown ? *shown : report(shown.error());
  }
  const auto id = find_chain(*meant);
  if (!id) return report(id.error());
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  // Sites forbid asking more often; this machine may be asked.
  for (;;) {
    const auto view = looked_at(*id, true);
    if (!view) return report(view.error());
    const Duration pause = pause_between_looks(view->engine);
    const Duration shortest = std::min<Duration>(pause, seconds(5));
    if (options.watch && !options.json && terminal) fmt::print("\033[H\033[2J");
    fmt::print("{}", options.json ? chain_json({&*view, 1})
                                  : printable_lines(chain_status(*view, terminal_width())));
    std::fflush(stdout);
    if (!options.watch || view->state == "ended") return exit_of(*view);
    if (!terminal && !options.json) fmt::print("\n");
    wait_for(*options.watch > 0 ? std::max<Duration>(seconds(*options.watch), shortest) : pause);
  }
}

struct ReportOptions {
  std::vector<std::string> chains;
  bool all = false;
  std::string since;
  bool detailed = false;
  std::string format = "md";
  std::string database;
  bool json = false;
};

// The chains into one database that can be queried.
ExitCode write_database(const ReportOptions& options, const std::vector<std::string>& ids,
                        std::optional<Instant> since) {
  const std::string& file = options.database;
  ExitCode exit_code = ExitCode::kDone;
  std::size_t written = 0;
  for (const std::string& id : ids) {
    const auto done = [&]() -> Result<void> {
      TRY(const auto open, OpenChain::open(chain_ports(), id, kPatience));
      TRY(const auto runs, open->ledger().runs());
      if (since && open->chain().created < *since) return {};
      TRY_VOID(write_record(file, open->chain(), runs));
      ++written;
      return {};
    }();
    if (!done) exit_code = report(done.error());
  }
  if (options.json) {
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.written/1"));
    out.add("file", Value::quoted_text(file));
    out.add("chains", Value::scalar(std::to_string(written)));
    fmt::print("{}", print_json(out));
  } else {
    fmt::print("{}: {} chain{} written\n", file, written, written == 1 ? "" : "s");
  }
  return exit_code;
}

// A file may be huge, and its end says why.
constexpr std::streamoff kMostTail = 4096;
constexpr std::size_t kLinesShown = 12;

std::string last_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kMostTail));
  std::string text(static_cast<std::size_t>(std::min(size, kMostTail)), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (text.ends_with('\n')) text.pop_back();
  std::size_t at = text.size();
  for (std::size_t i = 0; i < kLinesShown && at != std::string::npos && at > 0; ++i)
    at = text.rfind('\n', at - 1);
  if (at != std::string::npos && at > 0) text = text.substr(at + 1);
  return printable_lines(text);
}

// Of each task that was given up: its stderr, where that is a file of its own, else its output.
void add_last_lines(ChainView& view) {
  const auto open = OpenChain::open(chain_ports(), view.id, kPatience);
  if (!open) return;
  const Chain& chain = (*open)->chain();
  for (GivenUpRow& row : view.given_up) {
    const Task* task = chain.find_task(row.task);
    if (task == nullptr || task->batch == 0) continue;
    const OutputPaths paths = output_paths(chain, chain.batch(task->batch), row.task, row.node);
    row.last_lines = last_lines(paths.error);
    if (row.last_lines.empty()) row.last_lines = last_lines(paths.output);
  }
}

ExitCode show_report(const ReportOptions& options) {
  std::vector<std::string> ids;
  if (options.all) ids = chain_ids();
  for (const std::string& given : options.chains) {
    const auto id = find_chain(given);
    if (!id) return report(id.error());
    ids.push_back(*id);
  }
  if (ids.empty() && !options.all) {
    const auto id = find_chain("last");
    if (!id) return report(id.error());
    ids.push_back(*id);
  }
  std::optional<Instant> since;
  if (!options.since.empty()) {
    const Instant now = now_on_clock();
    const auto read = parse_time_or_age(options.since, now, local_offset(now));
    if (!read) return report(read.error());
    since = *read;
  }
  if (!options.database.empty()) return write_database(options, ids, since);
  std::vector<ChainView> views;
  ExitCode exit_code = ExitCode::kDone;
  for (const std::string& id : ids) {
    auto view = looked_at(id, true);
    if (!view) {
      // One that cannot be read hides no other.
      exit_code = report(view.error());
      continue;
    }
    if (!since || view->created >= *since) views.push_back(std::move(*view));
  }
  if (options.format == "html" || options.format == "text")
    for (ChainView& view : views) add_last_lines(view);
  const ReportDetail detail = options.detailed ? ReportDetail::kDetailed : ReportDetail::kShort;
  if (options.format == "json") {
    fmt::print("{}", chain_json(views));
  } else if (options.format == "html") {
    fmt::print("{}", chain_html(views, detail));
  } else {
    const auto print = options.format == "text" ? &chain_text : &chain_markdown;
    for (std::size_t i = 0; i < views.size(); ++i)
      fmt::print("{}{}", i > 0 ? "\n" : "", printable_lines(print(views[i], detail)));
  }
  return exit_code;
}

ExitCode list(bool json) {
  std::vector<ChainView> views;
  std::vector<Error> damaged;
  for (const std::string& id : chain_ids()) {
    auto open = OpenChain::open(chain_ports(), id, Duration(0));
    auto view = open ? (*open)->view() : tl::unexpected(open.error());
    if (!view) {
      // One that cannot be read hides no other.
      const bool is_busy = view.error().kind == ErrorKind::kNoCapacity;
      if (!is_busy) damaged.push_back(view.error());
      view.emplace();
      view->id = id;
      view->state = is_busy ? "busy" : "damaged";
    }
    views.push_back(std::move(*view));
  }
  ExitCode exit_code = ExitCode::kDone;
  for (const Error& error : damaged) exit_code = report(error);
  if (json) {
    fmt::print("{}", chain_json(views));
    return exit_code;
  }
  if (views.empty()) {
    fmt::print("No chains yet. Start one: sluice submit --chain --array=0-9 job.sh\n");
    return ExitCode::kDone;
  }
  Table table({{"CHAIN", Align::kLeft, false},
               {"STATE", Align::kLeft, false},
               {"TASKS", Align::kRight, false},
               {"DONE", Align::kRight, false},
               {"RUNNING", Align::kRight, false, Narrow::kGoesFirst},
               {"WAITING", Align::kRight, false, Narrow::kGoesFirst},
               {"GIVEN UP", Align::kRight, false},
               {"NAME", Align::kLeft, true}});
  for (const ChainView& view : views)
    table.add({view.id, view.state, std::to_string(view.sum.tasks),
               std::to_string(view.sum.completed), std::to_string(view.sum.running),
               std::to_string(view.sum.waiting), std::to_string(view.sum.given_up),
               printable(view.name)});
  table.print(Display::of_stdout(), stdout);
  return exit_code;
}

// The ledger's own sum, then every open array against the cluster.
ExitCode audit_chain(const std::string& given, bool json) {
  const auto id = find_chain(given);
  if (!id) return report(id.error());
  auto open = OpenChain::open(chain_ports(), *id, kPatience);
  if (!open) return report(open.error());
  const Chain& chain = (*open)->chain();
  const Audit sum = audit(chain);
  std::vector<std::string> problems = sum.problems;
  std::size_t seen = 0;
  std::vector<RemoteRef> refs;
  for (const Batch& batch : chain.batches)
    if (batch.job && batch.state != BatchState::kWithdrawn)
      refs.push_back({*batch.job, std::nullopt});
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  std::string unseen;
  if (!refs.empty()) {
    const auto sightings = (*open)->cluster().observe(refs);
    if (!sightings) {
      unseen = sightings.error().what;
    } else {
      for (const Sighting& sighting : *sightings) {
        const Batch* carried = chain.carried_by(sighting.ref.job);
        for (const SeenTask& task : sighting.tasks) {
          ++seen;
          const std::uint32_t index = chain.array ? task.task.value_or(0) + carried->offset : 0;
          const Task* own = chain.find_task(index);
          if (own == nullptr || !chain.knows(sighting.ref.job, index)) {
            problems.push_back(fmt::format("job {} has a task {} that is not of this chain",
                                           sighting.ref.job.job.value(), index));
          } else if (!has_ended(task.state) && chain.batch(own->batch).job != sighting.ref.job &&
                     !chain.is_moving(index)) {
            problems.push_back(fmt::format("task {} is still {} in job {}, and was handed in again",
                                           index, slurm_name(task.state),
                                           sighting.ref.job.job.value()));
          }
        }
      }
    }
  }
  if (json) {
    Value list = Value::list();
    for (const std::string& problem : problems) list.items.push_back(Value::quoted_text(problem));
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice-audit/1"));
    out.add("chain", Value::quoted_text(*id));
    for (const auto& [name, count] : {std::pair("tasks", sum.tasks),
                                      {"completed", sum.completed},
                                      {"given_up", sum.given_up},
                                      {"waiting", sum.waiting},
                                      {"running", sum.running},
                                      {"seen", seen}})
      out.add(name, Value::scalar(std::to_string(count)));
    if (!unseen.empty()) out.add("unseen", Value::quoted_text(unseen));
    out.add("problems", std::move(list));
    fmt::print("{}", print_json(out));
  } else {
    fmt::print(
        "{} tasks = {} completed + {} given up + {} waiting + {} running: {}\n", sum.tasks,
        sum.completed, sum.given_up, sum.waiting, sum.running,
        sum.completed + sum.given_up + sum.waiting + sum.running == sum.tasks ? "true" : "FALSE");
    if (!unseen.empty())
      fmt::print("The cluster could not be asked: {}\n", unseen);
    else
      fmt::print("The cluster shows {} of the chain's runs; {}\n", seen,
                 problems.empty() ? "none contradicts the ledger." : "");
    for (const std::string& problem : problems) fmt::print("PROBLEM: {}\n", problem);
  }
  return problems.empty() ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

void add_chain_list(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("list", "List the chains and their progress");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  verb->footer("Examples:\n  sluice list\n  sluice list --json");
  verb->callback([json, &exit_code] { exit_code = list(*json); });
}

void add_chain_status(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand(
      "status", "Show the progress of a job, an array, or a chain round by round");
  auto options = std::make_shared<StatusOptions>();
  verb->add_option("ID", options->chain,
                   "A job or array as 12, a chain, or last: the latest submission (the default)");
  verb->add_flag("--json", options->json, "As JSON");
  auto every = std::make_shared<std::int64_t>(0);
  verb->add_option("-w,--watch", *every, "Refresh every SECONDS until it has ended")
      ->expected(0, 1)
      ->type_name("SECONDS");
  verb->footer(
      "Of an array: a bar, how many tasks ended how, and about how long the rest takes.\n"
      "Checking a chain also advances it if it has stalled.\n"
      "Exit code 1 where it has ended and tasks failed or were given up.\n\n"
      "Examples:\n  sluice status\n  sluice status 12\n  sluice status last --watch=30");
  verb->callback([options, every, verb, &exit_code] {
    if (verb->count("--watch") > 0) options->watch = *every;
    exit_code = status(*options);
  });
}

void add_chain_report(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("report", "Rounds, failures, and what was asked and used");
  auto options = std::make_shared<ReportOptions>();
  verb->add_option("CHAIN", options->chains, "Ids, prefixes of ids, or last (the default)");
  verb->add_flag("--all", options->all, "Every chain");
  verb->add_option("--since", options->since, "Submitted since: 7d (ago), 2026-11-15");
  verb->add_flag("--detailed", options->detailed, "States, run times and nodes of every round");
  verb->add_option("--format", options->format, "md, text, html or json")
      ->one_of({"md", "text", "html", "json"});
  verb->add_flag("--json", options->json, "As --format json");
  verb->add_option("--db", options->database,
                   "Write them into this SQLite file instead (docs/reference/ladder-file.md)");
  verb->footer(
      "Examples:\n  sluice report last --detailed\n"
      "  sluice report last --format html > report.html\n"
      "  sluice report --all --since 7d --format json");
  verb->callback([options, &exit_code] {
    if (options->json) options->format = "json";
    options->json = options->format == "json";
    exit_code = show_report(*options);
  });
}

void add_chain_audit(Command& chain, ExitCode& exit_code) {
  Command* verb =
      chain.add_subcommand("audit", "Prove that every task is in one state, and ask the cluster");
  auto given = std::make_shared<std::string>("last");
  auto json = std::make_shared<bool>(false);
  verb->add_option("CHAIN", *given, "Its id, a prefix of the id, or last (the default)");
  verb->add_flag("--json", *json, "As JSON");
  verb->footer("Exit code 1 where something does not add up.\nExample:\n  sluice audit last");
  verb->callback([given, json, &exit_code] { exit_code = audit_chain(*given, *json); });
}

}  // namespace sluice
