// sluice policy drift: what was changed on the live cluster since the last apply, in words.
#include <fmt/format.h>

#include <memory>

#include "apps/files.h"
#include "apps/live_slurm.h"
#include "apps/policy_embedded.h"
#include "apps/policy_plan.h"
#include "apps/policy_records.h"
#include "apps/policy_verb.h"
#include "cli/command.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  std::string on;
  bool json = false;
  bool exit_code = false;
};

std::vector<std::string> sentences(const Plan& plan) {
  std::vector<std::string> out;
  for (const PlanStep& step : plan.steps) out.insert(out.end(), step.says.begin(), step.says.end());
  for (const ConfChange& change : plan.conf) {
    if (change.line.empty())
      out.push_back(fmt::format("slurm.conf lost {}", change.now));
    else if (change.now.empty())
      out.push_back(fmt::format("slurm.conf has {} now", change.line));
    else
      out.push_back(fmt::format("slurm.conf: {} became {}", change.now, change.line));
  }
  return out;
}

Result<ExitCode> drift(const Options& options) {
  TRY(const bool on_daemon, is_for_daemon(options.on));
  if (on_daemon) {
    EmbeddedPolicy asked{options.file, {}, {}, {}};
    asked.json = options.json;
    asked.exit_code = options.exit_code;
    return drift_embedded(asked);
  }
  TRY(const LivePolicy live, read_live_policy());
  LivePolicy then = live;
  std::string since;
  if (options.file.empty()) {
    TRY(const PolicyRecords records, PolicyRecords::open(live.policy.cluster));
    TRY(const auto applied, records.applied());
    if (!applied)
      return bad_input(
          fmt::format("nothing was applied to cluster {} from here", live.policy.cluster),
          "name a file to compare with: sluice policy drift FILE");
    then.policy = *applied;
    since = "the apply of " + records.applied_at();
  } else {
    TRY(const Aim wanted, read_policy_file(options.file));
    then.policy = as_slurm_keeps(wanted.policy);
    keep_unnamed(then.policy, live.policy, *wanted.named);
    then.slurm_only = wanted.slurm_only;
    since = options.file;
  }
  then.policy.cluster = live.policy.cluster;
  then.tracked.clear();
  for (std::size_t i = 0; i < live.policy.tres.size(); ++i)
    then.tracked.insert(live.policy.tres.name(TresIndex(static_cast<std::uint8_t>(i))));
  PlanOptions how;
  how.tense = Tense::kHistory;
  how.restore = options.file.empty();
  how.slurm_only = live.slurm_only;
  const std::vector<std::string> changes = sentences(make_plan(then, live.policy, how));
  if (options.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.drift/1"));
    value.add("cluster", Value::quoted_text(live.policy.cluster));
    value.add("since", Value::quoted_text(since));
    Value list = Value::list();
    for (const std::string& change : changes) list.items.push_back(Value::quoted_text(change));
    value.add("changes", std::move(list));
    fmt::print("{}", print_json(value));
  } else {
    for (const std::string& change : changes) fmt::print("{}\n", change);
    if (changes.empty())
      fmt::print("Nothing changed on cluster {} since {}.\n", live.policy.cluster, since);
    else
      fmt::print("{} change{} on cluster {} since {}.\n", changes.size(),
                 changes.size() == 1 ? "" : "s", live.policy.cluster, since);
  }
  return options.exit_code && !changes.empty() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_policy_drift(Command& policy, ExitCode& exit_code) {
  Command* verb =
      policy.add_subcommand("drift", "Say what changed on the live cluster since the last apply");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "Compare with this policy file instead");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where something changed");
  add_on_option(*verb, options->on);
  verb->footer(
      "Examples:\n  sluice policy drift\n"
      "  sluice policy drift policy.yaml --exit-code || mail -s drift root");
  verb->callback([options, &exit_code] {
    const auto done = drift(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
