// sluice policy apply and undo: show, ask, keep the way back, do, read again, compare.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/confirm.h"
#include "policyfile/plan/account_commands.h"
#include "targets/choose_target.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options {
  PolicyWish wish{"policy.yaml", {}, {}, {}};
  std::string on;
  bool yes = false;
  bool json = false;
};

// For programs: the plan, what was done in words, and whether all of it was.
Result<ExitCode> carry_out_for_programs(Proposal& proposal, const std::string& target,
                                        const Options& options) {
  if (proposal.has_work()) {
    TRY_VOID(proposal.may_begin());
    if (!options.yes) return bad_input("with --json nothing is asked", "add --yes");
  }
  Value value = proposal.value();
  Value said = Value::list();
  TRY(const bool complete, proposal.carry_out([&](const std::string& line) {
    said.items.push_back(Value::quoted_text(line));
  }));
  value.add("target", Value::quoted_text(target));
  value.add("said", std::move(said));
  value.add("complete", Value::scalar(complete ? "true" : "false"));
  fmt::print("{}", print_json(value));
  return complete ? ExitCode::kDone : ExitCode::kWorkFailed;
}

Result<ExitCode> carry_out(Proposal& proposal, const char* question, bool yes) {
  fmt::print("{}", proposal.text());
  if (proposal.has_work()) {
    TRY_VOID(proposal.may_begin());
    TRY(const bool go, confirmed(question, yes));
    if (!go) {
      fmt::print("Nothing was changed.\n");
      return ExitCode::kWorkFailed;
    }
  }
  TRY(const bool complete, proposal.carry_out([](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }));
  return complete ? ExitCode::kDone : ExitCode::kWorkFailed;
}

Result<ExitCode> apply(const Options& options) {
  const std::string again =
      "sluice policy apply " + (options.wish.saved.empty()
                                    ? shell_quoted({options.wish.file})
                                    : shell_quoted({"--plan", options.wish.saved}));
  TRY(const auto target, target_to_change(options.on, options.wish, again));
  TRY(const std::string name, options.json ? target->name() : introduce(*target, Output::kText));
  TRY(const auto proposal, target->plan(options.wish));
  return options.json ? carry_out_for_programs(*proposal, name, options)
                      : carry_out(*proposal, "Apply this?", options.yes);
}

Result<ExitCode> undo(const Options& options) {
  TRY(const auto target, target_to_change(options.on, {}, "sluice policy undo"));
  TRY(const std::string name, options.json ? target->name() : introduce(*target, Output::kText));
  TRY(const auto proposal, target->plan_back(options.wish.consent));
  return options.json ? carry_out_for_programs(*proposal, name, options)
                      : carry_out(*proposal, "Go back like this?", options.yes);
}

ExitCode exit_of(const Result<ExitCode>& result) {
  return result ? *result : report(result.error());
}

void add_common_options(Command& verb, Options& options) {
  verb.add_flag("--yes", options.yes, "Do not ask");
  verb.add_flag("--json", options.json, "As JSON; needs --yes where there is something to do");
  verb.add_option("--on", options.on,
                  "slurm, or embedded: the daemon of this machine (default: SLUICE_ON; must be "
                  "given where Slurm is installed)");
}

}  // namespace

void add_policy_apply(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("apply", "Make the target follow the file");
  auto options = std::make_shared<Options>();
  CommandOption* file =
      verb->add_option("FILE", options->wish.file, "The policy file")->capture_default_str();
  verb->add_option("--plan", options->wish.saved, "Exactly what this saved plan says")
      ->type_name("PLAN")
      ->excludes(file);
  verb->add_option("--cluster", options->wish.confirmed,
                   "The target's cluster name, where the file is for another")
      ->type_name("NAME");
  add_common_options(*verb, *options);
  add_consent_options(*verb, options->wish.consent);
  verb->footer(
      "Names its target, shows the plan, asks, writes down the way back, makes the changes one by\n"
      "one, reads the target again and compares. Done twice it does nothing; interrupted and\n"
      "typed again it continues. On the daemon of this machine its policy file is written and\n"
      "taken, both or neither.\n"
      "Where Slurm is installed, the target must be named: by --on, by SLUICE_ON, by a saved\n"
      "plan, or by a file whose `cluster:` is the name of one of the two.\n"
      "Exit code 0 done, 1 refused or something was left out, 69 the target cannot be reached,\n"
      "77 not an administrator (then nothing was changed).\n"
      "Examples:\n  sluice policy apply policy.yaml --on slurm\n"
      "  sluice policy apply --plan today.plan --yes\n"
      "  sluice policy apply policy.yaml --on embedded\n"
      "  sluice policy apply policy.yaml --on slurm --delete bob --admin-level alice");
  verb->callback([options, &exit_code] { exit_code = exit_of(apply(*options)); });
}

void add_policy_undo(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("undo", "Go back to before the last apply");
  auto options = std::make_shared<Options>();
  add_common_options(*verb, *options);
  add_consent_options(*verb, options->wish.consent);
  verb->footer(
      "Only what that apply changed is changed back. Again: the apply before it.\n"
      "Examples:\n  sluice policy undo --on embedded\n"
      "  sluice policy undo --on slurm --yes --delete carol");
  verb->callback([options, &exit_code] { exit_code = exit_of(undo(*options)); });
}

}  // namespace sluice
