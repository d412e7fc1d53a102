// The verbs that speak to the daemon, one file each.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/cli.h"

namespace sluice {

void add_run(Command& root, ExitCode& exit_code);
void add_queue(Command& root, ExitCode& exit_code);
void add_job(Command& root, ExitCode& exit_code);
void add_why(Command& root, ExitCode& exit_code);
void add_cancel(Command& root, ExitCode& exit_code);
void add_hold(Command& root, ExitCode& exit_code);
void add_release(Command& root, ExitCode& exit_code);
void add_requeue(Command& root, ExitCode& exit_code);
void add_suspend(Command& root, ExitCode& exit_code);
void add_resume(Command& root, ExitCode& exit_code);
void add_update(Command& root, ExitCode& exit_code);
void add_nodes(Command& root, ExitCode& exit_code);
void add_reservations(Command& root, ExitCode& exit_code);
void add_shares(Command& root, ExitCode& exit_code);
void add_priority(Command& root, ExitCode& exit_code);
void add_history(Command& root, ExitCode& exit_code);
void add_wait(Command& root, ExitCode& exit_code);
void add_efficiency(Command& root, ExitCode& exit_code);
void add_logs(Command& root, ExitCode& exit_code);
void add_reasons(Command& root, ExitCode& exit_code);
void add_api(Command& root, ExitCode& exit_code);
// These two print the whole tree of commands.
void add_completion(Command& root, ExitCode& exit_code);
void add_manual(Command& root, ExitCode& exit_code);

// Takes sbatch's spellings, which CLI11 does not read: everything after the verb is its own.
// Nothing where help was asked for, which add_run prints.
std::optional<ExitCode> run_run(std::span<const std::string> arguments);

}  // namespace sluice
