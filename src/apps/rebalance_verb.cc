// sluice rebalance: moves waiting tasks that their pool cannot take to pools that can, in place.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/files.h"
#include "apps/route_verb.h"
#include "apps/routed_cluster.h"
#include "apps/routing_context.h"
#include "apps/submission_record.h"
#include "cli/local_time.h"
#include "policyfile/account_commands.h"
#include "policyfile/value.h"
#include "routing/rebalance.h"
#include "slurm/job_update.h"
#include "text/duration.h"

namespace sluice {
namespace {

struct Options {
  bool dry_run = false;
  bool json = false;
  std::string stuck_after;
  std::string engine;
};

std::string stay_text(Stay stay, const RoutingSettings& settings) {
  switch (stay) {
    case Stay::kMoves:
      return "moves";
    case Stay::kOtherReason:
      return "stays: it does not wait for a limit";
    case Stay::kNotYet:
      return fmt::format("stays: has waited less than {}",
                         format_friendly_duration(settings.stuck_after));
    case Stay::kHasRoom:
      return "stays: its pool has room again";
    case Stay::kNowhere:
      return "stays: no other pool has room";
  }
  return {};
}

std::string name_of(const RemoteJob& job, const std::optional<IndexSet>& tasks) {
  return tasks ? job_name(job, *tasks) : job_name(RemoteRef{job, std::nullopt});
}

JobChange change_of(const Move& move, const WaitingTasks& from) {
  JobChange out;
  out.account = move.account;
  if (!move.qos.empty()) out.qos = move.qos;
  if (move.partitions != from.partitions) out.partitions = move.partitions;
  return out;
}

struct Outcome {
  std::string job;
  std::string pool;
  std::string what;
  bool moved = false;
};

Result<std::vector<Outcome>> carry_out(const RoutedCluster& on, const Rebalance& plan,
                                       const std::vector<WaitingTasks>& waiting, bool dry_run) {
  std::vector<Outcome> out;
  for (const Move& move : plan.moves) {
    const WaitingTasks& from = waiting[move.waiting];
    const std::string name = name_of(from.job, move.tasks);
    const JobChange change = change_of(move, from);
    Outcome done{name, move.pool, "moved", true};
    if (dry_run) {
      done.what = "would run: " + shell_quoted(on.update_line(name, change));
      done.moved = false;
    } else {
      // One change of a waiting task: what has started meanwhile refuses it, so nothing runs twice.
      TRY(const auto answer, move.tasks ? on.cluster->update_tasks(from.job, *move.tasks, change)
                                        : on.cluster->update({from.job, std::nullopt}, change));
      if (const auto* refusal = std::get_if<Refusal>(&answer)) {
        done.what = fmt::format("refused: {}; cancel it and submit it anew with `sluice route`",
                                refusal->message);
        done.moved = false;
      } else if (std::get<Changed>(answer) == Changed::kTooLate) {
        done.what = "has started or ended meanwhile";
        done.moved = false;
      }
    }
    out.push_back(std::move(done));
  }
  return out;
}

Result<ExitCode> run(const Options& options) {
  TRY(RoutingSettings settings, load_routing_settings());
  if (!options.stuck_after.empty()) {
    const auto time = parse_friendly_duration(options.stuck_after);
    if (!time || !time->duration)
      return bad_input(fmt::format("--stuck-after: '{}' is no time", options.stuck_after),
                       "write 10m or 1h");
    settings.stuck_after = *time->duration;
  }
  TRY(const RoutedCluster on, open_cluster(options.engine));
  if (!options.dry_run) TRY_VOID(tidy_up(*on.cluster, on.notes));
  TRY(const Description seen, on.cluster->describe());
  if (!seen.behind.empty())
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable,
              fmt::format("{} does not answer: {}", on.nickname, seen.behind),
              {},
              "nothing was moved"});
  TRY(const std::vector<WaitingTasks> waiting, on.cluster->waiting());
  const Rebalance plan = plan_rebalance(seen, settings, waiting, now_here());
  TRY(const auto outcomes, carry_out(on, plan, waiting, options.dry_run));
  if (options.json) {
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.rebalance.v1"));
    std::vector<Value> moves;
    for (const Outcome& one : outcomes) {
      Value item = Value::map();
      item.add("job", Value::quoted_text(one.job));
      item.add("to", Value::quoted_text(one.pool));
      item.add("moved", Value::scalar(one.moved ? "true" : "false"));
      item.add("what", Value::quoted_text(one.what));
      moves.push_back(std::move(item));
    }
    out.add("moves", Value::list(std::move(moves)));
    fmt::print("{}", print_json(out));
    return ExitCode::kDone;
  }
  if (waiting.empty()) fmt::print("None of your jobs waits.\n");
  for (const Outcome& one : outcomes) fmt::print("{} to {}: {}\n", one.job, one.pool, one.what);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (plan.verdicts[i] != Stay::kMoves)
      fmt::print("{} in {} ({}) {}\n", name_of(waiting[i].job, waiting[i].tasks),
                 waiting[i].account, waiting[i].reason, stay_text(plan.verdicts[i], settings));
  return ExitCode::kDone;
}

}  // namespace

void add_rebalance(CLI::App& root, ExitCode& exit_code) {
  CLI::App* verb = root.add_subcommand(
      "rebalance", "Move waiting tasks from full accounts to those that have room");
  auto options = std::make_shared<Options>();
  verb->add_flag("--dry-run", options->dry_run, "Only say what would move, and the exact commands");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_option("--stuck-after", options->stuck_after,
                   "Move what has waited longer than this (routing.yaml: stuck-after, 10m)");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "A waiting task is changed in place, so it keeps its age; one that has started meanwhile\n"
      "refuses the change. Only tasks that wait for a limit move, and only as many as fit.\n\n"
      "Examples:\n  sluice rebalance --dry-run\n  sluice rebalance --stuck-after 1m");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
