// sluice rebalance: moves waiting tasks that their pool cannot take to pools that can, in place.
#include <fmt/format.h>

#include <memory>

#include "chains/stuck_tasks.h"
#include "cli/command.h"
#include "cli/local_time.h"
#include "host/files/files.h"
#include "policyfile/read/value.h"
#include "pools/mover.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "pools/verbs/route_verb.h"
#include "routing/rebalance.h"
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

Result<ExitCode> run(const Options& options) {
  TRY(RoutingSettings settings, load_routing_settings());
  if (!options.stuck_after.empty()) {
    const auto time = parse_friendly_duration(options.stuck_after);
    if (!time || !time->duration)
      return bad_input(fmt::format("--stuck-after: '{}' is not a time", options.stuck_after),
                       "write 10m or 1h");
    settings.stuck_after = *time->duration;
  }
  TRY(const RoutedCluster on, open_cluster(options.engine, Look::kNow));
  TRY(const Description seen, on.cluster->describe());
  if (!seen.behind.empty())
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable,
              fmt::format("{} does not answer: {}", on.nickname, seen.behind),
              {},
              "nothing was moved"});
  TRY(const std::vector<WaitingTasks> waiting, on.cluster->waiting());
  const Rebalance plan = plan_rebalance(seen, settings, waiting, now_here());
  TRY(const std::vector<Moved> outcomes,
      options.dry_run ? moves_in_words(on, plan, waiting) : carry_out(on, plan, waiting));
  if (options.json) {
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.rebalance.v1"));
    std::vector<Value> moves;
    for (const Moved& one : outcomes) {
      Value item = Value::map();
      item.add("job", Value::quoted_text(one.job));
      item.add("to", Value::quoted_text(one.pool));
      item.add("moved", Value::scalar(one.moved ? "true" : "false"));
      if (one.new_job) item.add("new_job", Value::scalar(std::to_string(one.new_job->value())));
      item.add("what", Value::quoted_text(one.what));
      moves.push_back(std::move(item));
    }
    out.add("moves", Value::list(std::move(moves)));
    fmt::print("{}", print_json(out));
    return ExitCode::kDone;
  }
  if (waiting.empty()) fmt::print("None of your jobs waits.\n");
  for (const Moved& one : outcomes) fmt::print("{} to {}: {}\n", one.job, one.pool, one.what);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (plan.verdicts[i] != Stay::kMoves)
      fmt::print("{} in {} ({}) {}\n", job_words(waiting[i].job, waiting[i].tasks),
                 waiting[i].account, waiting[i].reason, stay_text(plan.verdicts[i], settings));
  return ExitCode::kDone;
}

}  // namespace

void add_rebalance(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand(
      "rebalance", "Move waiting tasks from full accounts to those that have room");
  auto options = std::make_shared<Options>();
  verb->add_flag("--dry-run", options->dry_run,
                 "Only show what would move, and the exact commands");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_option("--stuck-after", options->stuck_after,
                   "Move tasks that have waited longer than this (routing.yaml: stuck-after, 10m)");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "A waiting task is changed in place, so it keeps its age; one that has started meanwhile\n"
      "refuses the change. Where the site does not let users change a job, another is submitted in "
      "its\n"
      "place and the waiting one is cancelled; never do both run. Only tasks that wait for a limit "
      "move, and only as many as fit.\n\n"
      "Examples:\n  sluice rebalance --dry-run\n  sluice rebalance --stuck-after 1m");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
