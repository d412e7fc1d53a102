// sluice resume, rerun, cancel, logs, and what handler jobs run.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "chains/chain_folders.h"
#include "chains/task_output.h"
#include "cli/command.h"
#include "cli/elsewhere.h"
#include "cli/log_text.h"
#include "cli/rerun.h"
#include "cli/submission_notes.h"
#include "host/files/files.h"
#include "pools/chain_context.h"
#include "pools/routing_context.h"
#include "pools/verbs/chain_verb.h"
#include "text/array_spec.h"
#include "text/job_reference.h"
#include "text/last_lines.h"

namespace sluice {
namespace {

constexpr Duration kPatience = seconds(20);
constexpr Duration kBetweenLooks = seconds(3);
// A handler of a minute must be done before Slurm ends it.
constexpr Duration kHandlerPatience = seconds(30);

void say(const Progress& progress) {
  for (const std::string& note : progress.notes) fmt::print(stderr, "sluice: {}\n", note);
}

// What was done to a chain: the sentence, and the chain as it is now.
struct Done {
  std::string says;
  ChainView view;
  ExitCode code = ExitCode::kDone;
};

Result<Done> done(OpenChain& open, std::string says) {
  TRY(ChainView view, open.view());
  return Done{std::move(says), std::move(view), ExitCode::kDone};
}

// With how far it is, and an exit code of 1 where it has ended and tasks were given up.
Result<Done> finish(OpenChain& open) {
  TRY(Done out, done(open, {}));
  out.says = fmt::format("{}: {}\n", out.view.id, chain_sum_line(out.view));
  if (out.view.state == "ended" && out.view.sum.given_up > 0) out.code = ExitCode::kWorkFailed;
  return out;
}

// Does it to one after the other; the worst exit code counts. As JSON they are one value, as
// `sluice status` has it.
template <class Act>
Result<ExitCode> on_each(const ChainAction& action, Act act) {
  ExitCode worst = ExitCode::kDone;
  std::vector<ChainView> views;
  for (const std::string& given : action.chains) {
    TRY(const std::string id, find_chain(given));
    TRY(auto open, OpenChain::open(chain_ports(), id, kPatience));
    TRY(Done one, act(*open));
    worst = std::max(worst, one.code);
    if (!action.json) fmt::print("{}", one.says);
    views.push_back(std::move(one.view));
  }
  if (action.json) fmt::print("{}", chain_json(views));
  return worst;
}

Result<Done> resume(OpenChain& open) {
  open.attend();
  const Instant begin = now_on_clock();
  for (;;) {
    TRY(const Progress progress, open.step());
    say(progress);
    if (!progress.uncertain) break;
    if (now_on_clock() - begin > kLookFor + seconds(30))
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnknown,
                "the cluster still does not say whether it took a submission",
                {},
                fmt::format("later: sluice resume {}", open.chain().id)});
    wait_for(kBetweenLooks);
  }
  return finish(open);
}

struct RerunOptions {
  bool json = false;
  std::string chain;
  bool failed = false;
  std::string tasks;
  std::optional<std::uint32_t> level;  // Absent: where each task was given up.
};

Result<Done> rerun_tasks(OpenChain& open, const RerunOptions& options,
                         const std::optional<IndexSet>& named) {
  const Chain& chain = open.chain();
  if (options.level && *options.level > chain.ladder.levels.size())
    return bad_input(fmt::format("the ladder has {} levels", chain.ladder.levels.size()));
  open.attend();
  std::map<Rung, IndexSet> by_rung;
  std::size_t count = 0;
  for (const Task& task : chain.tasks) {
    if (named && !named->contains(task.index)) continue;
    if (task.state == TaskState::kGivenUp) {
      Rung rung = task.rung;
      if (options.level) {
        const auto level = static_cast<std::uint8_t>(*options.level - 1);
        rung = {level, level, 0};
      }
      by_rung[rung].insert(task.index);
      ++count;
    }
    if (named && (task.state == TaskState::kCompleted || task.state == TaskState::kSubmitted))
      return bad_input(
          fmt::format("task {} {}", task.index,
                      task.state == TaskState::kCompleted ? "has completed" : "waits or runs"),
          "only tasks that were given up are run again");
  }
  if (named)
    for (const std::uint32_t index : named->to_vector())
      if (chain.find_task(index) == nullptr)
        return bad_input(fmt::format("the chain has no task {}", index));
  if (count == 0) return done(open, "No task was given up.\n");
  for (auto& [rung, tasks] : by_rung) TRY_VOID(open.record(TasksRenewed{std::move(tasks), rung}));
  TRY(const Progress progress, open.step());
  say(progress);
  return done(
      open, fmt::format("{}: {} task{} again\n", chain.id, count, count == 1 ? " runs" : "s run"));
}

Result<ExitCode> rerun(const RerunOptions& options) {
  TRY(const std::string meant, one_meant_by(options.chain));
  if (!is_chain_id(meant) && parse_job_reference(meant)) {
    if (options.level) return bad_input("--level is for chains", "leave it out");
    return rerun_job({meant, options.failed, options.tasks, options.json});
  }
  TRY(const std::string id, find_chain(meant));
  std::optional<IndexSet> named;
  if (!options.tasks.empty()) {
    TRY(const ArraySpec spec, parse_array_spec(options.tasks));
    named = spec.indices;
  }
  if (named.has_value() == options.failed)
    return bad_input("which tasks?", "write --failed, or --tasks=3,7-9");
  return on_each({{id}, options.json},
                 [&](OpenChain& open) { return rerun_tasks(open, options, named); });
}

Result<Done> cancel(OpenChain& open) {
  if (open.chain().state == ChainState::kEnded)
    return done(open, fmt::format("{} has ended already.\n", open.chain().id));
  const Instant begin = now_on_clock();
  for (;;) {
    TRY(const Progress progress, open.cancel());
    say(progress);
    if (progress.ended || now_on_clock() - begin > seconds(60)) break;
    wait_for(kBetweenLooks);
  }
  TRY(Done out, finish(open));
  out.code = ExitCode::kDone;  // What was to be done is done.
  return out;
}

struct ActOptions {
  ChainAction action{{std::string()}, false};
  std::optional<std::int64_t> level;  // Of stop.
};

// What runs finishes, and is counted; the tasks that would climb wait until `chain start`.
Result<Done> stop(OpenChain& open, std::optional<std::int64_t> level) {
  const Chain& chain = open.chain();
  if (chain.state != ChainState::kActive)
    return done(open, fmt::format("{} has {} already.\n", chain.id,
                                  chain.state == ChainState::kEnded ? "ended" : "been cancelled"));
  if (level && *level > static_cast<std::int64_t>(chain.ladder.levels.size()))
    return bad_input(fmt::format("the ladder has {} levels", chain.ladder.levels.size()));
  ChainTerms terms = chain.terms;
  terms.stopped = !level;
  terms.last_level.reset();
  if (level) terms.last_level = static_cast<std::uint32_t>(*level);
  TRY_VOID(open.record(TermsChanged{std::move(terms)}));
  const std::string what =
      level ? fmt::format("stopped at level {}; tasks that need more wait", *level)
            : "stopped; running tasks finish, nothing is resubmitted";
  return done(open, fmt::format("{0}: {1}. Go on: sluice chain start {0}\n", chain.id, what));
}

Result<Done> start(OpenChain& open) {
  const Chain& chain = open.chain();
  if (chain.state != ChainState::kActive || (!chain.terms.stopped && !chain.terms.last_level))
    return done(open, fmt::format("{} is not stopped.\n", chain.id));
  ChainTerms terms = chain.terms;
  terms.stopped = false;
  terms.last_level.reset();
  TRY_VOID(open.record(TermsChanged{std::move(terms)}));
  open.attend();
  TRY(const Progress progress, open.step());
  say(progress);
  return finish(open);
}

// We are a job that Slurm started. The one whose number we carry, or whose key we were found by.
std::optional<RemoteJob> ourselves(const Chain& chain, Cluster& cluster) {
  const std::string number = environment_value("SLURM_JOB_ID");
  for (const Handler& handler : chain.handlers) {
    if (handler.gone) continue;
    if (handler.job && std::to_string(handler.job->job.value()) == number) return handler.job;
    if (handler.job) continue;
    if (const auto found = cluster.find(handler.key))
      for (const RemoteJob& job : *found)
        if (std::to_string(job.job.value()) == number) return job;
  }
  return std::nullopt;
}

Result<ExitCode> advance(const std::string& id) {
  auto open = OpenChain::open(chain_ports(), id, kHandlerPatience);
  if (!open) {
    if (open.error().kind != ErrorKind::kNoCapacity) return tl::unexpected<Error>(open.error());
    // The process that holds it looks once more before letting go.
    TRY_VOID(leave_word(chain_folder(id), "a handler came\n"));
    fmt::print("{}; it was notified\n", open.error().what);
    return ExitCode::kDone;
  }
  (*open)->attend(ourselves((*open)->chain(), (*open)->cluster()));
  const Instant begin = now_on_clock();
  for (;;) {
    const auto progress = (*open)->step();
    const bool again = !progress || progress->uncertain || progress->unseen;
    if (progress) {
      say(*progress);
      fmt::print("{}: {}\n", id, progress->words());
      if (!again || progress->ended) return ExitCode::kDone;
    } else {
      fmt::print("{}: {}\n", id, progress.error().text());
    }
    std::fflush(stdout);
    if (now_on_clock() - begin > kHandlerPatience) break;
    wait_for(kBetweenLooks);
  }
  return ExitCode::kDone;
}

// What the daemon starts for a chain on this machine when tasks have ended. It asks by the exit
// code: 0 there is nothing more to do, 75 tell me of more ends, 76 tell me soon in any case.
Result<ExitCode> follow(const std::filesystem::path& folder) {
  ::setenv("SLUICE_CHAINS", folder.parent_path().c_str(), 1);
  const std::string id = folder.filename().string();
  std::error_code problem;
  if (!std::filesystem::exists(folder / "ledger.db", problem)) return ExitCode::kDone;
  auto open = OpenChain::open(chain_ports(StartDaemon::kNever), id, kPatience);
  if (!open) {
    if (open.error().kind != ErrorKind::kNoCapacity) return tl::unexpected<Error>(open.error());
    TRY_VOID(leave_word(chain_folder(id), "tasks have ended\n"));
    return ExitCode::kUnknownOutcome;
  }
  TRY(const Progress progress, (*open)->step());
  say(progress);
  if (progress.settled + progress.handed_in + progress.resized + progress.moved > 0 ||
      progress.ended)
    fmt::print("{}: {}\n", id, progress.words());
  if (progress.ended) return ExitCode::kDone;
  return progress.uncertain || progress.unseen || progress.waits_for_room ||
                 (*open)->may_find_room()
             ? ExitCode::kUnknownOutcome
             : ExitCode::kNoCapacity;
}

// What it says goes to the chain's folder; the daemon's end of standard output tells that it ended.
ExitCode follow_quietly(const std::string& folder) {
  const std::string log = folder + "/handlers.log";
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file >= 0) {
    (void)::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  const auto done = follow(folder);
  if (done) return *done;
  const ExitCode code = report(done.error());
  // A ledger that others are reading has the code of "tell me of more ends", and there may be none:
  // a look that failed is made again.
  return code == ExitCode::kNoCapacity ? ExitCode::kWorkFailed : code;
}

// Where the output of each task went, and what it was where it is asked for.
class ChainLogPrinter {
 public:
  explicit ChainLogPrinter(const ChainLogs& asked) : asked_(asked) {}

  void captured(std::uint32_t task, const std::string& job) {
    const auto said = asked_.paths ? Result<std::string>(std::string()) : captured_output(job);
    if (asked_.json) {
      LogText log;
      log.job = job;
      (said ? log.text : log.problem) = said ? wanted_of(*said) : said.error().what;
      add(task, std::move(log));
    } else if (!asked_.paths) {
      fmt::print("==> task {}: job {} <==\n", task, job);
      fmt::print("{}", said ? wanted_of(*said) : "(" + said.error().what + ")\n");
    }
  }

  void file(std::uint32_t task, const std::string& path) {
    if (asked_.json) {
      const auto text = asked_.paths ? Result<std::string>(std::string()) : read_file(path);
      LogText log;
      log.file = path;
      (text ? log.text : log.problem) = text ? wanted_of(*text) : text.error().what;
      add(task, std::move(log));
      return;
    }
    if (asked_.paths) {
      fmt::print("{}\n", path);
      return;
    }
    fmt::print("==> task {}: {} <==\n", task, path);
    std::fflush(stdout);
    if (asked_.tail) {
      const auto text = read_file(path);
      fmt::print("{}", text ? wanted_of(*text) : "(not there)\n");
      return;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) fmt::print("(not there)\n");
    char piece[65536];
    while (file.read(piece, sizeof piece), file.gcount() > 0)
      std::fwrite(piece, 1, static_cast<std::size_t>(file.gcount()), stdout);
  }

  void finish() {
    if (asked_.json) fmt::print("{}\n", logs_json(logs_));
  }

 private:
  std::string wanted_of(const std::string& text) const {
    return asked_.tail ? std::string(last_lines(text, *asked_.tail)) : text;
  }
  void add(std::uint32_t task, LogText log) {
    log.task = task;
    log.with_text = !asked_.paths;
    logs_.push_back(std::move(log));
  }
  const ChainLogs& asked_;
  std::vector<LogText> logs_;
};

Result<ExitCode> logs(const ChainLogs& options) {
  TRY(const std::string id, find_chain(options.chain));
  TRY(auto open, OpenChain::open(chain_ports(), id, kPatience));
  const Chain& chain = open->chain();
  std::optional<IndexSet> named;
  if (!options.tasks.empty()) {
    TRY(const ArraySpec spec, parse_array_spec(options.tasks));
    named = spec.indices;
  }
  std::map<std::uint32_t, std::string> nodes;
  TRY_VOID(open->ledger().each_run([&](const TaskRun& run) { nodes[run.index] = run.node; }));
  ChainLogPrinter printer(options);
  for (const Task& task : chain.tasks) {
    if (named && !named->contains(task.index)) continue;
    if (!named && options.failed && task.state != TaskState::kGivenUp) continue;
    if (task.batch == 0) continue;
    if (chain.spec.launch.capture) {
      printer.captured(task.index, job_name(chain, chain.batch(task.batch), task.index));
      continue;
    }
    const OutputPaths paths =
        output_paths(chain, chain.batch(task.batch), task.index, nodes[task.index]);
    printer.file(task.index, paths.output);
    if (paths.error != paths.output) printer.file(task.index, paths.error);
  }
  printer.finish();
  return ExitCode::kDone;
}

// A verb that does one thing to one chain.
std::shared_ptr<ActOptions> add_act_options(Command& verb) {
  auto options = std::make_shared<ActOptions>();
  verb.add_option("CHAIN", options->action.chains.front(), "Its id, the beginning of it, or last")
      ->required();
  verb.add_flag("--json", options->action.json, "The chain as it is then, as JSON");
  return options;
}

template <class Options, class Work>
void on_call(Command* verb, std::shared_ptr<Options> options, ExitCode& exit_code, Work work) {
  verb->callback([options, &exit_code, work] {
    const auto done = work(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace

Result<ExitCode> resume_chains(const ChainAction& action) { return on_each(action, resume); }
Result<ExitCode> cancel_chains(const ChainAction& action) { return on_each(action, cancel); }
Result<ExitCode> chain_logs(const ChainLogs& wanted) { return logs(wanted); }

void add_chain_resume(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("resume", "Continue a chain, whatever happened to it");
  const auto options = add_act_options(*verb);
  verb->footer("Safe at any time: nothing is submitted twice.\nExample:\n  sluice resume last");
  on_call(verb, options, exit_code,
          [](const ActOptions& asked) { return on_each(asked.action, resume); });
}

void add_chain_rerun(Command& chain, ExitCode& exit_code) {
  Command* verb =
      chain.add_subcommand("rerun", "Run a job again, or tasks that failed or were given up");
  auto options = std::make_shared<RerunOptions>();
  verb->add_option("ID", options->chain, "A job or array as 12, tasks as 12_[3,7-9], a chain, last")
      ->required();
  verb->add_flag("--failed", options->failed, "All tasks that failed; of a chain: were given up");
  verb->add_option("--tasks", options->tasks, "These, as in --array");
  verb->add_option("--level", options->level, "Begin at this level, not where each was given up")
      ->between(1, 40);
  verb->add_flag("--json", options->json, "What was submitted, or the chain, as JSON");
  verb->footer(
      "Of a job or an array it makes a new submission of the same script and options; of a chain\n"
      "the tasks continue in it.\n\n"
      "Examples:\n  sluice rerun 12\n  sluice rerun last --failed\n"
      "  sluice rerun last --tasks=3,7-9 --level 2");
  on_call(verb, options, exit_code, rerun);
}

void add_chain_cancel(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("cancel", "End everything that a chain started");
  const auto options = add_act_options(*verb);
  verb->footer("Example:\n  sluice cancel last");
  on_call(verb, options, exit_code,
          [](const ActOptions& asked) { return on_each(asked.action, cancel); });
}

void add_chain_stop(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("stop", "Let running tasks finish, and resubmit nothing");
  const auto options = add_act_options(*verb);
  verb->add_option("--at-level", options->level, "Only above this level")->between(1, 40);
  verb->footer("Examples:\n  sluice chain stop last\n  sluice chain stop last --at-level 2");
  on_call(verb, options, exit_code, [](const ActOptions& asked) {
    return on_each(asked.action, [&](OpenChain& open) { return stop(open, asked.level); });
  });
}

void add_chain_start(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("start", "Continue a chain that was stopped");
  const auto options = add_act_options(*verb);
  verb->footer("Example:\n  sluice chain start last");
  on_call(verb, options, exit_code,
          [](const ActOptions& asked) { return on_each(asked.action, start); });
}

void add_chain_advance(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("advance", "What handler jobs run");
  verb->group("");  // Not in the help.
  auto given = std::make_shared<std::string>();
  auto followed = std::make_shared<std::string>();
  verb->add_option("CHAIN", *given);
  verb->add_option("--follow", *followed);
  verb->callback([given, followed, &exit_code] {
    if (!followed->empty()) {
      exit_code = follow_quietly(*followed);
      return;
    }
    const auto done = advance(*given);
    exit_code = done ? *done : report(done.error());
  });
}

void add_chain_logs(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("logs", "What tasks wrote");
  auto options = std::make_shared<ChainLogs>();
  verb->add_option("CHAIN", options->chain, "Its id, the beginning of it, or last")->required();
  verb->add_flag("--failed", options->failed, "Of tasks that were given up");
  verb->add_option("--tail", options->tail, "Only the last LINES lines of each")
      ->type_name("LINES");
  verb->add_option("--tasks", options->tasks, "Of these, as in --array");
  verb->add_flag("--paths", options->paths, "Only the names of the files");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer("Examples:\n  sluice logs last --failed\n  sluice logs last --tasks=7");
  on_call(verb, options, exit_code, logs);
}

}  // namespace sluice
