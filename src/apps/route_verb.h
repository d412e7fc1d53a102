// sluice route, rebalance and why.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/cli.h"

namespace sluice {

// Whether a command line is meant for Slurm: --on slurm among its options, or SLUICE_ON=slurm.
bool asks_for_slurm(std::span<char* const> argv);

void add_route(CLI::App& root, ExitCode& exit_code);
// The same under the name of submit, for submit --on slurm.
void add_slurm_submit(CLI::App& root, ExitCode& exit_code);
// Takes sbatch's spellings; nothing where help was asked for.
std::optional<ExitCode> run_route(std::span<const std::string> arguments);
void add_rebalance(CLI::App& root, ExitCode& exit_code);
void add_slurm_why(CLI::App& root, ExitCode& exit_code);

}  // namespace sluice
