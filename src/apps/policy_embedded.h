// policy plan, apply, undo, drift and import on the daemon of this machine.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/cli.h"

namespace sluice {

struct EmbeddedPolicy {
  std::string file;     // The policy file; for drift, empty: what was applied last.
  std::string out;      // Where a plan, or an imported policy, goes.
  std::string plan;     // A saved plan.
  std::string cluster;  // The daemon's cluster, where the file is for another.
  bool json = false;
  bool exit_code = false;
  bool yes = false;
};

Result<ExitCode> plan_embedded(const EmbeddedPolicy& asked);
Result<ExitCode> apply_embedded(const EmbeddedPolicy& asked);
Result<ExitCode> undo_embedded(const EmbeddedPolicy& asked);
Result<ExitCode> drift_embedded(const EmbeddedPolicy& asked);
// The policy in force, as a file's text or as JSON.
Result<std::string> policy_of_daemon(const EmbeddedPolicy& asked);

// --on slurm|embedded, for the verbs that work on both.
void add_on_option(Command& verb, std::string& on);
// What was asked for, else $SLUICE_ON, else Slurm where its commands are.
Result<bool> is_for_daemon(const std::string& on);

// Yes only when somebody typed it.
Result<bool> asked(const char* question, bool yes);

}  // namespace sluice
