// sluice submit, route and chain submit: one command line, read once; what it asks for decides
// where it goes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/cli.h"
#include "pools/asked.h"

namespace sluice {

// A request that is complete but for what the caller's process knows, to where it asks to go.
Result<ExitCode> submit_request(SbatchRequest request);
// Whether that is to pools: to Slurm, or to several accounts or devices of this machine. It is
// several jobs then.
Result<bool> goes_to_pools(const SbatchRequest& request);
// A submission whose failed tasks come back with more.
Result<ExitCode> submit_chain(Asked asked);

void add_submit(Command& root, ExitCode& exit_code);
void add_route(Command& root, ExitCode& exit_code);
void add_chain_submit(Command& chain, ExitCode& exit_code);
// Take sbatch's spellings; nothing where help was asked for.
std::optional<ExitCode> run_submit(std::span<const std::string> arguments);
std::optional<ExitCode> run_route(std::span<const std::string> arguments);

}  // namespace sluice
