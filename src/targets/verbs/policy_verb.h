// sluice policy: its subcommands, one file each, and what those that have a target share.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/cli.h"
#include "targets/policy_target.h"

namespace sluice {

void add_policy(Command& root, ExitCode& exit_code);

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

// --on, for verbs that only read a target.
void add_target_option(Command& verb, std::string& on);
void add_consent_options(Command& verb, Consent& consent);

// The target's name, before anything else is shown: on standard error where standard output is a
// document.
enum class Output : bool { kText, kDocument };
Result<std::string> introduce(PolicyTarget& target, Output output);

}  // namespace sluice
