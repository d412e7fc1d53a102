// The command line: reads what a person asked for and runs that verb.
#pragma once

#include <span>

namespace CLI {
class App;
}

namespace sluice {

// What a process may exit with; scripts depend on these numbers, so they never change meaning.
enum class ExitCode : int {
  kDone = 0,
  kWorkFailed = 1,
  kUsage = 2,
  kUnreachable = 69,
  kNoCapacity = 75,
  kUnknownOutcome = 76,
  kNotAllowed = 77,
};

// Adds one verb to the command tree: its subcommand, its options, and a callback that does the
// work and stores how it ended in `exit_code`. `exit_code` outlives the parse.
using AddVerb = void (*)(CLI::App& root, ExitCode& exit_code);

// Parses the arguments, runs the verb they name and returns the exit code of the process. Verbs
// that need more than a face may include (the simulator, the daemon) are handed in by `apps`.
int run_cli(int argc, char** argv, std::span<const AddVerb> verbs = {});

}  // namespace sluice
