// sluice policy explain NAME: the limits that apply to a QoS, an account or a user, in words.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "host/files.h"
#include "policyfile/explain.h"
#include "policyfile/policy_reader.h"
#include "targets/choose_target.h"
#include "targets/verbs/policy_verb.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string file = "policy.yaml";
  std::string on;
  bool live = false;
  bool json = false;
};

Result<Policy> policy_of(const Options& options) {
  if (options.live) {
    TRY(const auto target, target_to_read(options.on));
    TRY_VOID(introduce(*target, options.json ? Output::kDocument : Output::kText));
    TRY(PolicyInForce now, target->read());
    return std::move(now.policy);
  }
  TRY(const std::string text, read_file(options.file));
  return read_policy(text, options.file, read_file);
}

Result<void> explain(const Options& options) {
  TRY(const Policy policy, policy_of(options));
  Value all = Value::list();
  std::string texts;
  for (const std::string& name : options.names) {
    TRY(const std::string text, explain_policy(policy, name));
    texts += text;
    Value one = Value::map();
    one.add("name", Value::quoted_text(name));
    Value says = Value::list();
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) says.items.push_back(Value::quoted_text(std::string(line)));
    one.add("says", std::move(says));
    all.items.push_back(std::move(one));
  }
  if (options.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.explain/1"));
    value.add("cluster", Value::quoted_text(policy.cluster));
    value.add("explained", std::move(all));
    texts = print_json(value);
  }
  fmt::print("{}", texts);
  return {};
}

}  // namespace

void add_policy_explain(Command& policy, ExitCode& exit_code) {
  Command* verb =
      policy.add_subcommand("explain", "Show which limits apply to a QoS, an account or a user");
  auto options = std::make_shared<Options>();
  verb->add_option("NAME", options->names, "A QoS, an account or a user")->required();
  CommandOption* file = verb->add_option("--policy", options->file, "The policy file")
                            ->type_name("FILE")
                            ->capture_default_str();
  CommandOption* live =
      verb->add_flag("--live", options->live, "Of the policy in force, instead of a file")
          ->excludes(file);
  verb->add_option("--on", options->on, "Where it is in force: slurm, or embedded (this machine)")
      ->needs(live);
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice policy explain interactive --policy policy.yaml\n"
      "  sluice policy explain alice --live\n"
      "  sluice policy explain alice bob --json | jq '.explained[].says'");
  verb->callback([options, &exit_code] {
    const auto done = explain(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
