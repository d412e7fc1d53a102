// sluice policy import: the policy in force on the target as a file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/plan/account_commands.h"
#include "policyfile/write/policy_writer.h"
#include "slurm/run_slurm.h"
#include "targets/choose_target.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options {
  std::string out;
  std::string on;
  bool json = false;
  bool force = false;
  bool commands = false;
};

Result<ExitCode> print_commands() {
  TRY(const SlurmIdentity identity, slurm_identity());
  fmt::print("{}\n", shell_quoted(config_command().argv));
  for (const TextCommand& command :
       text_commands(identity.cluster, read_slurm_version(identity.version)))
    fmt::print("{}\n", shell_quoted(command.argv));
  return ExitCode::kDone;
}

std::string file_text(const PolicyInForce& now, const std::string& target) {
  std::string out = fmt::format("# {}: as sluice policy import found it.\n", target);
  for (const std::string& note : now.notes) out += fmt::format("# Not here: {}.\n", note);
  return out + write_policy(now.policy, now.slurm_only);
}

Result<ExitCode> import(const Options& options) {
  TRY(const auto target, target_to_read(options.on));
  if (options.commands && target->engine() == "slurm") return print_commands();
  if (!options.out.empty() && !options.force && std::filesystem::exists(options.out))
    return bad_input(fmt::format("'{}' exists", options.out),
                     "give another name, or --force to write over it");
  TRY(const std::string name, introduce(*target, Output::kDocument));
  TRY(const PolicyInForce now, target->read());
  const std::string text =
      options.json ? write_policy_json(now.policy, now.slurm_only) : file_text(now, name);
  for (const std::string& note : now.notes) fmt::print(stderr, "sluice: {}\n", note);
  if (!options.out.empty()) TRY_VOID(write_file(options.out, text));
  fmt::print("{}", options.out.empty() ? text : options.out + "\n");
  return ExitCode::kDone;
}

}  // namespace

void add_policy_import(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("import", "Write the target's policy as a file");
  auto options = std::make_shared<Options>();
  verb->add_option("--out", options->out, "Write it here instead of printing it")
      ->type_name("FILE");
  verb->add_flag("--force", options->force, "Write over a file that exists");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--commands", options->commands, "Only print the commands that it would run");
  add_target_option(*verb, options->on);
  verb->footer(
      "Reads accounts, users, QoS, partitions, nodes, weights and preemption, of Slurm with\n"
      "sacctmgr and scontrol; changes nothing. The target, and what a policy file has no words\n"
      "for, are named on standard error.\n"
      "Examples:\n  sluice policy import > policy.yaml\n"
      "  sluice policy import --out policy.yaml && sluice policy plan policy.yaml");
  verb->callback([options, &exit_code] {
    const auto done = import(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
