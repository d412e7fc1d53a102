// sluice policy: its subcommands.
#include "apps/policy_verb.h"

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

}  // namespace sluice
