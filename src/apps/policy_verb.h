// sluice policy: a policy file shown, checked, and turned into Slurm's own settings.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_policy(Command& root, ExitCode& exit_code);

// One file each; called by add_policy.
void add_policy_show(Command& policy, ExitCode& exit_code);
void add_policy_check(Command& policy, ExitCode& exit_code);
void add_policy_conf(Command& policy, ExitCode& exit_code);
void add_policy_import(Command& policy, ExitCode& exit_code);
void add_policy_plan(Command& policy, ExitCode& exit_code);
void add_policy_apply(Command& policy, ExitCode& exit_code);
void add_policy_undo(Command& policy, ExitCode& exit_code);
void add_policy_drift(Command& policy, ExitCode& exit_code);
void add_policy_explain(Command& policy, ExitCode& exit_code);
void add_policy_diff(Command& policy, ExitCode& exit_code);
void add_policy_init(Command& policy, ExitCode& exit_code);
void add_policy_schema(Command& policy, ExitCode& exit_code);

}  // namespace sluice
