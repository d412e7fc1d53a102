// sluice policy: a policy file shown, checked, and turned into Slurm's own settings.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_policy(CLI::App& root, ExitCode& exit_code);

// One file each; called by add_policy.
void add_policy_show(CLI::App& policy, ExitCode& exit_code);
void add_policy_check(CLI::App& policy, ExitCode& exit_code);
void add_policy_conf(CLI::App& policy, ExitCode& exit_code);
void add_policy_import(CLI::App& policy, ExitCode& exit_code);
void add_policy_plan(CLI::App& policy, ExitCode& exit_code);
void add_policy_apply(CLI::App& policy, ExitCode& exit_code);
void add_policy_undo(CLI::App& policy, ExitCode& exit_code);
void add_policy_drift(CLI::App& policy, ExitCode& exit_code);
void add_policy_explain(CLI::App& policy, ExitCode& exit_code);
void add_policy_diff(CLI::App& policy, ExitCode& exit_code);
void add_policy_init(CLI::App& policy, ExitCode& exit_code);
void add_policy_schema(CLI::App& policy, ExitCode& exit_code);

}  // namespace sluice
