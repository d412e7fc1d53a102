// sluice policy drift: what was changed on the target since the last apply, in words.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "policyfile/read/value.h"
#include "targets/choose_target.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  std::string on;
  bool json = false;
  bool exit_code = false;
};

Value drift_value(const PolicyDrift& drift, const PolicyTarget& target, const std::string& name) {
  Value value = Value::map();
  value.add("schema", Value::quoted_text("sluice.policy.drift/1"));
  value.add("target", Value::quoted_text(name));
  value.add("engine", Value::quoted_text(target.engine()));
  value.add("cluster", Value::quoted_text(drift.cluster));
  value.add("since", Value::quoted_text(drift.since));
  Value list = Value::list();
  for (const std::string& change : drift.changes) list.items.push_back(Value::quoted_text(change));
  value.add("changes", std::move(list));
  value.add("file_not_in_force", Value::scalar(drift.unread.empty() ? "false" : "true"));
  return value;
}

void print_text(const PolicyDrift& drift) {
  for (const std::string& change : drift.changes) fmt::print("{}\n", change);
  if (drift.changes.empty())
    fmt::print("Nothing changed on cluster {} since {}.\n", drift.cluster, drift.since);
  else
    fmt::print("{} change{} on cluster {} since {}.\n", drift.changes.size(),
               drift.changes.size() == 1 ? "" : "s", drift.cluster, drift.since);
  if (!drift.unread.empty())
    fmt::print("{0} says otherwise and is not in force yet: sluice policy plan {0} --on embedded\n",
               drift.unread);
}

Result<ExitCode> drift(const Options& options) {
  TRY(const auto target, target_to_read(options.on));
  TRY(const std::string name, options.json ? target->name() : introduce(*target, Output::kText));
  TRY(const PolicyDrift found, target->drift(options.file));
  if (options.json)
    fmt::print("{}", print_json(drift_value(found, *target, name)));
  else
    print_text(found);
  const bool changed = !found.changes.empty() || !found.unread.empty();
  return options.exit_code && changed ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_policy_drift(Command& policy, ExitCode& exit_code) {
  Command* verb =
      policy.add_subcommand("drift", "Show what changed on the target since the last apply");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "Compare with this policy file instead");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where something changed");
  add_target_option(*verb, options->on);
  verb->footer(
      "Examples:\n  sluice policy drift\n"
      "  sluice policy drift policy.yaml --exit-code || mail -s drift root");
  verb->callback([options, &exit_code] {
    const auto done = drift(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
