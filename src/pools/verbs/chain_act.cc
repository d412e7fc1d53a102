// sluice resume, rerun and cancel of chains, chain stop and start.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "chains/chain_folders.h"
#include "cli/command.h"
#include "cli/elsewhere.h"
#include "cli/rerun.h"
#include "cli/submission_notes.h"
#include "pools/chain_context.h"
#include "pools/chain_look.h"
#include "pools/routing_context.h"
#include "pools/verbs/chain_verb.h"
#include "text/array_spec.h"
#include "text/job_reference.h"

namespace sluice {
namespace {

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
    TRY(auto open, OpenChain::open(chain_ports(), id, kChainPatience));
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
    say_notes(progress);
    if (!progress.uncertain) break;
    if (now_on_clock() - begin > kLookFor + seconds(30))
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnknown,
                "the cluster still does not say whether it took a submission",
                {},
                fmt::format("later: sluice resume {}", open.chain().id)});
    wait_for(kBetweenChainLooks);
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
  say_notes(progress);
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
    say_notes(progress);
    if (progress.ended || now_on_clock() - begin > seconds(60)) break;
    wait_for(kBetweenChainLooks);
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
  return done(open, fmt::format("{0}: {1}. Continue: sluice chain start {0}\n", chain.id, what));
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
  say_notes(progress);
  return finish(open);
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

}  // namespace sluice
