// The verbs that speak to the daemon, one file each.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/cli.h"

namespace sluice {

void add_submit(CLI::App& root, ExitCode& exit_code);
void add_run(CLI::App& root, ExitCode& exit_code);
void add_queue(CLI::App& root, ExitCode& exit_code);
void add_job(CLI::App& root, ExitCode& exit_code);
void add_why(CLI::App& root, ExitCode& exit_code);
void add_cancel(CLI::App& root, ExitCode& exit_code);
void add_hold(CLI::App& root, ExitCode& exit_code);
void add_release(CLI::App& root, ExitCode& exit_code);
void add_requeue(CLI::App& root, ExitCode& exit_code);
void add_suspend(CLI::App& root, ExitCode& exit_code);
void add_resume(CLI::App& root, ExitCode& exit_code);
void add_update(CLI::App& root, ExitCode& exit_code);
void add_nodes(CLI::App& root, ExitCode& exit_code);
void add_shares(CLI::App& root, ExitCode& exit_code);
void add_priority(CLI::App& root, ExitCode& exit_code);
void add_history(CLI::App& root, ExitCode& exit_code);
void add_logs(CLI::App& root, ExitCode& exit_code);
void add_api(CLI::App& root, ExitCode& exit_code);

// These take sbatch's spellings, which CLI11 does not read: everything after the verb is theirs.
// Nothing where help was asked for, which the verbs above print.
std::optional<ExitCode> run_submit(std::span<const std::string> arguments);
std::optional<ExitCode> run_run(std::span<const std::string> arguments);

}  // namespace sluice
