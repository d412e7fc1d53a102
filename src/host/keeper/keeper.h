// The keeper: a small process that starts the jobs' processes, holds them and knows their ends.
//
// It outlives the daemon, so that neither a job nor its exit status is lost with it. One thread,
// one epoll loop. A run is forgotten only when the daemon says that its end is in the journal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/files/folders.h"

namespace sluice {

enum class CageChoice : std::uint8_t { kBest, kPlain, kCgroupV1, kCgroupV2 };

struct KeeperSettings {
  std::string socket;
  std::string lock;    // One keeper at a time holds it.
  std::string spool;   // Scripts lie here while they run.
  std::string output;  // Captured output.
  CageChoice cage = CageChoice::kBest;
  std::int64_t errands_mb = 0;  // What all errands may have together; 0: a part of the machine.
  int ready = -1;  // A descriptor that gets "ready\n", or what went wrong, when it listens.
};

// For the hidden verb: `sluice keeper ARGUMENTS`.
std::vector<std::string> keeper_arguments(const Folders& folders);
Result<KeeperSettings> read_keeper_arguments(std::span<const std::string> arguments);

// Serves until it is told to quit. Returns an exit code.
int run_keeper(const KeeperSettings& settings);

}  // namespace sluice
