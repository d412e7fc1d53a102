#include "targets/verbs/policy_verb.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"

namespace sluice {

void add_policy(Command& root, ExitCode& exit_code) {
  Command* policy = root.add_subcommand("policy", "Check, plan, apply and translate a policy file");
  policy->require_subcommand(1);
  add_policy_show(*policy, exit_code);
  add_policy_check(*policy, exit_code);
  add_policy_conf(*policy, exit_code);
  add_policy_import(*policy, exit_code);
  add_policy_plan(*policy, exit_code);
  add_policy_apply(*policy, exit_code);
  add_policy_undo(*policy, exit_code);
  add_policy_drift(*policy, exit_code);
  add_policy_explain(*policy, exit_code);
  add_policy_diff(*policy, exit_code);
  add_policy_init(*policy, exit_code);
  add_policy_schema(*policy, exit_code);
}

void add_target_option(Command& verb, std::string& on) {
  verb.add_option("--on", on,
                  "slurm, or embedded: the daemon of this machine (default: SLUICE_ON, else Slurm "
                  "where it is installed)");
}

void add_consent_options(Command& verb, Consent& consent) {
  const auto names = [&](const char* option, std::vector<std::string>& to, const char* kind,
                         const char* help) {
    verb.add_option(option, to, help)->type_name(kind)->expected(1)->take_all();
  };
  names("--delete", consent.deletions, "NAME",
        "May be deleted although jobs use it: a user, account, QoS or partition");
  names("--admin-level", consent.admin_levels, "USER", "This user's admin level may change");
  names("--coordinator", consent.coordinators, "USER",
        "What this user is coordinator of may change");
}

Result<std::string> introduce(PolicyTarget& target, Output output) {
  TRY(std::string name, target.name());
  fmt::print(output == Output::kText ? stdout : stderr, "Target: {}\n", name);
  std::fflush(stdout);
  return name;
}

}  // namespace sluice
