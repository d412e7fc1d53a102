// Verbs for jobs of this machine that also take a chain, or a job on Slurm. What they do then is
// beyond this room; main() hands it in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/cli.h"
#include "views/rows.h"

namespace sluice {

struct ChainLogs {
  std::string chain;
  bool failed = false;
  std::string tasks;
  bool paths = false;
};

struct WhyQuestion {
  std::string job;  // Empty: all of one's own that wait.
  bool json = false;
};

struct Elsewhere {
  Result<ExitCode> (*cancel_chain)(const std::string& chain) = nullptr;
  Result<ExitCode> (*resume_chain)(const std::string& chain) = nullptr;
  Result<ExitCode> (*chain_logs)(const ChainLogs& logs) = nullptr;
  Result<ExitCode> (*why_on_slurm)(const WhyQuestion& question) = nullptr;
  Result<ExitCode> (*wait_for_chain)(const std::string& chain) = nullptr;
  Result<std::vector<QueueLine>> (*queue_of_slurm)() = nullptr;
  Result<std::vector<NodeLine>> (*nodes_of_slurm)() = nullptr;
  Result<std::vector<ReservationLine>> (*reservations_of_slurm)() = nullptr;
};
void use_elsewhere(const Elsewhere& known);
const Elsewhere& elsewhere();

// Chains are named otherwise than jobs: last, or 20261115-1325…
bool is_chain_id(std::string_view word);

// Whether the operands are chains; an error where some are and others are jobs.
Result<bool> are_chains(std::span<const std::string> operands);
// Does it to one after the other; the worst exit code counts.
Result<ExitCode> for_each_chain(std::span<const std::string> chains,
                                Result<ExitCode> (*act)(const std::string& chain));

}  // namespace sluice
