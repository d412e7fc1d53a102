// Verbs for jobs of this machine that also take a chain, or a job on Slurm. What they do then is
// beyond this room; main() hands it in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/name_filters.h"
#include "views/rows.h"

namespace sluice {

struct ChainLogs {
  std::string chain;
  bool failed = false;
  std::string tasks;
  std::optional<std::uint32_t> tail;  // Lines.
  bool paths = false;
  bool json = false;
};

// One thing done to chains.
struct ChainAction {
  std::vector<std::string> chains;
  bool json = false;
};

// What became of a job, an array or a chain that was waited for.
struct WaitedFor {
  std::string id;
  std::int64_t tasks = 0;
  std::int64_t failed = 0;
  std::int64_t exit_status = 0;
};

struct WhyQuestion {
  std::vector<std::string> jobs;  // None: all of one's own that wait.
  bool json = false;
};

// The jobs of a chain that wait now.
struct WaitingOfChain {
  bool on_slurm = false;
  std::vector<std::string> jobs;
  std::string kept_back;  // Lines about tasks that no job has yet: what they wait for.
  std::string otherwise;  // Where none waits: what the chain does.
};

struct Elsewhere {
  Result<ExitCode> (*cancel_chains)(const ChainAction& action) = nullptr;
  Result<ExitCode> (*resume_chains)(const ChainAction& action) = nullptr;
  Result<ExitCode> (*chain_logs)(const ChainLogs& logs) = nullptr;
  Result<ExitCode> (*why_on_slurm)(const WhyQuestion& question) = nullptr;
  Result<WaitingOfChain> (*waiting_of_chain)(const std::string& chain) = nullptr;
  // Until then at the latest.
  Result<WaitedFor> (*wait_for_chain)(const std::string& chain,
                                      std::optional<Instant> until) = nullptr;
  Result<std::vector<QueueLine>> (*queue_of_slurm)() = nullptr;
  Result<std::vector<NodeLine>> (*nodes_of_slurm)() = nullptr;
  Result<std::vector<ReservationLine>> (*reservations_of_slurm)() = nullptr;
  // Of this machine's policy, or of the Slurm at hand ("slurm").
  Result<KnownNames> (*known_names)(const std::string& engine) = nullptr;
};
void use_elsewhere(const Elsewhere& known);
const Elsewhere& elsewhere();

// Chains are named otherwise than jobs: last, or 20261115-1325…
bool is_chain_id(std::string_view word);

// Whether the operands are chains; an error where some are and others are jobs.
Result<bool> are_chains(std::span<const std::string> operands);

}  // namespace sluice
