// sluice list and status: how far chains have come.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/elsewhere.h"
#include "cli/job_status.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "escalation/spread.h"
#include "pools/chain_context.h"
#include "pools/chain_look.h"
#include "pools/routing_context.h"
#include "pools/verbs/chain_verb.h"
#include "text/job_reference.h"
#include "text/plural.h"
#include "text/printable.h"
#include "text/scan.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

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

Result<ChainView> as_last_seen(const std::string& id) {
  TRY(const auto open, OpenChain::open(chain_ports(), id, Duration(0)));
  return open->view();
}

ExitCode list(bool json) {
  std::vector<ChainView> views;
  std::vector<Error> damaged;
  for (const std::string& id : chain_ids()) {
    auto view = as_last_seen(id);
    // Asking this machine costs nothing; of tasks on Slurm the list says what was seen last.
    if (view && view->state == "active" && view->engine != "slurm")
      if (auto now = looked_at(id, true)) view = std::move(now);
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

// A line for every pool that these tasks could go to.
std::string pool_lines(OpenChain& open, const Task& task) {
  const Chain& chain = open.chain();
  auto settings = load_routing_settings(chain.terms.project);
  const auto seen = open.cluster().describe();
  if (!settings || !seen) return {};
  if (!chain.terms.accounts.empty()) settings->accounts = chain.terms.accounts;
  std::string out;
  for (const Pool& pool : pools_for(chain, request_at(chain.ladder, task.rung), *seen, *settings))
    out += fmt::format(
        "  {}  {}\n", pool_name(pool),
        pool.now > 0
            ? fmt::format("room for {}", plural(static_cast<std::uint64_t>(pool.now), "task"))
            : no_room_text(pool, seen->policy->tres));
  return out;
}

// What the tasks wait for that were not handed in yet; "" where there are none.
Result<std::string> kept_back_text(const std::string& id) {
  TRY(auto open, OpenChain::open(chain_ports(), id, kChainPatience));
  const Chain& chain = open->chain();
  const Task* first = nullptr;
  std::uint64_t stopped = 0;
  std::uint64_t waiting = 0;
  for (const Task& task : chain.tasks) {
    if (task.state != TaskState::kWaiting) continue;
    if (chain.is_stopped(task)) {
      ++stopped;
    } else {
      ++waiting;
      if (first == nullptr) first = &task;
    }
  }
  std::string out;
  if (stopped > 0)
    out +=
        fmt::format("{} of the chain {} wait{}: it is stopped. Continue: sluice chain start {}\n",
                    plural(stopped, "task"), id, stopped == 1 ? "s" : "", id);
  if (first == nullptr) return out;
  if (!chain.terms.spread)
    return out + fmt::format("{} of the chain {} {} not handed in yet; see: sluice status {}\n",
                             plural(waiting, "task"), id, waiting == 1 ? "is" : "are", id);
  return out + fmt::format("{} of the chain {} {} kept back until a pool has room:\n{}",
                           plural(waiting, "task"), id, waiting == 1 ? "is" : "are",
                           pool_lines(*open, *first));
}

}  // namespace

Result<WaitingOfChain> waiting_of_chain(const std::string& given) {
  TRY(const std::string id, find_chain(given));
  TRY(const ChainView view, looked_at(id, true));
  WaitingOfChain out;
  out.on_slurm = view.engine == "slurm";
  for (const ChainRow& row : view.rows)
    if (row.waiting > 0 && !row.job.empty() &&
        std::find(out.jobs.begin(), out.jobs.end(), row.job) == out.jobs.end())
      out.jobs.push_back(row.job);
  if (view.sum.waiting > 0) {
    TRY(out.kept_back, kept_back_text(id));
  }
  if (out.jobs.empty()) out.otherwise = chain_sum_line(view);
  return out;
}

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

}  // namespace sluice
