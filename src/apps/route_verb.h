// sluice route, rebalance and why.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/cli.h"

namespace sluice {

// Where a command line goes by its options.
struct Destination {
  bool slurm = false;   // --on slurm, or SLUICE_ON=slurm.
  bool routed = false;  // A submission over several accounts or devices; on Slurm every one.
};
Destination destination_of(std::span<char* const> argv);

void add_route(Command& root, ExitCode& exit_code);
// The same under the name of submit, where that is routed.
void add_routed_submit(Command& root, ExitCode& exit_code);
// Takes sbatch's spellings; nothing where help was asked for.
std::optional<ExitCode> run_route(std::span<const std::string> arguments);
void add_rebalance(Command& root, ExitCode& exit_code);
void add_slurm_why(Command& root, ExitCode& exit_code);

}  // namespace sluice
