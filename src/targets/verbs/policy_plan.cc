// sluice policy plan FILE: what would have to change on the target, and which jobs that affects.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "targets/choose_target.h"
#include "targets/verbs/policy_verb.h"
#include "text/quoting.h"

namespace sluice {
namespace {

struct Options {
  PolicyWish wish{"policy.yaml", {}, {}, {}};
  std::string out;
  std::string on;
  bool json = false;
  bool exit_code = false;
};

Result<ExitCode> plan(const Options& options) {
  TRY(const auto target, target_to_read(options.on, options.wish));
  TRY(const std::string name, options.json ? target->name() : introduce(*target, Output::kText));
  TRY(const auto proposal, target->plan(options.wish));
  if (!options.out.empty()) TRY_VOID(write_file(options.out, proposal->saved()));
  if (options.json) {
    Value value = proposal->value();
    value.add("target", Value::quoted_text(name));
    fmt::print("{}", print_json(value));
  } else {
    fmt::print("{}", proposal->text());
    if (!options.out.empty())
      fmt::print("To do exactly this, type: sluice policy apply --plan {}\n",
                 shell_argument(options.out));
  }
  return options.exit_code && proposal->differs() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_policy_plan(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand(
      "plan", "Show what would make the target follow the file, and which jobs it affects");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->wish.file, "The policy file")->capture_default_str();
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where there are differences");
  verb->add_option("--out", options->out, "Keep the plan, to apply exactly this")
      ->type_name("PLAN");
  verb->add_option("--cluster", options->wish.confirmed,
                   "The target's cluster name, where the file is for another")
      ->type_name("NAME");
  add_target_option(*verb, options->on);
  add_consent_options(*verb, options->wish.consent);
  verb->footer(
      "Names its target first and changes nothing. On Slurm it prints the sacctmgr and scontrol\n"
      "commands in the order in which apply would run them, the lines that only slurm.conf can\n"
      "hold, and every job that waits or runs and would be blocked, freed, ended or moved in the\n"
      "queue. On the daemon of this machine: the differences in words, and the jobs, tried out on\n"
      "a copy of it.\n"
      "Examples:\n  sluice policy plan policy.yaml\n"
      "  sluice policy plan policy.yaml --exit-code --json | jq '.steps[].says[]'\n"
      "  sluice policy plan policy.yaml --on embedded\n"
      "  sluice policy plan policy.yaml --out today.plan && sluice policy apply --plan today.plan");
  verb->callback([options, &exit_code] {
    const auto done = plan(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
